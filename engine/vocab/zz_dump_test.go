package vocab
import ("testing";"os";"os/exec";"strings";"fmt";"encoding/hex";"path/filepath";"github.com/llamakit/llamakit/formats/gguf";"math/rand/v2")
func TestZDump(t *testing.T){
 files,_:=filepath.Glob("/work/shared/golden/vocab/*.gguf")
 more,_:=filepath.Glob("/tmp/voc/craft/*.gguf")
 D:=os.Getenv("HOME")+"/.cache/llama-peer"
 r:=rand.New(rand.NewPCG(1,2))
 for _,file:=range append(files,more...){
  f,err:=gguf.Open(file); if err!=nil{t.Fatal(err)}
  v,err:=New(f.Metadata); if err!=nil{t.Errorf("%s %v",file,err); continue}
  b,_:=os.ReadFile(file); os.WriteFile(D+"/tmp/voc/d.gguf",b,0o644)
  var texts []string; for range 200{ x:=randomText(r,12,spellingsOf(v,r)); texts=append(texts,x)}
  os.WriteFile(D+"/tmp/voc/dt",[]byte(strings.Join(texts,"\x00")+"\x00"),0o644)
  out,err:=exec.Command("chroot",D,"/tmp/vdump","/tmp/voc/d.gguf","/tmp/voc/dt").Output(); if err!=nil{t.Errorf("%s peer %v",file,err);continue}
  bad:=0; rep:=func(s string,a ...any){bad++; if bad<8{t.Errorf(filepath.Base(file)+": "+s,a...)}}
  k:=0; var last []Token
  for l:=range strings.Lines(string(out)){ l=strings.TrimSpace(l)
   switch l[0]{
   case 'S': 
    b2i:=func(b bool)int{if b{return 1};return 0}
    g:=fmt.Sprintf("S %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d",v.BOS,v.EOS,v.EOT,v.SEP,v.PAD,v.MASK,v.NL,v.FIMPrefix,v.FIMSuffix,v.FIMMiddle,v.FIMPad,v.FIMRepo,v.FIMFile,b2i(v.AddBOS),b2i(v.AddEOS),b2i(v.AddSEP))
    if g!=l {rep("got %s want %s",g,l)}
   case 'T': var i,a,e int; var p0,p1 string; fmt.Sscanf(l,"T %d %d %d %s %s",&i,&a,&e,&p0,&p1)
    if h:="p"+hex.EncodeToString(v.Piece(Token(i),false)); h!=p0{rep("%d %q piece0 %s want %s",i,v.Text(Token(i)),h,p0)}
    if h:="p"+hex.EncodeToString(v.Piece(Token(i),true)); h!=p1{rep("%d %q piece1 %s want %s",i,v.Text(Token(i)),h,p1)}
    if v.IsEOG(Token(i))!=(e==1){rep("%d %q eog %v want %d",i,v.Text(Token(i)),v.IsEOG(Token(i)),e)}
    // attr bits: unknown1 unused2 normal4 control8 user16 byte32 ... lstrip 256? 
    w:=v.words[i].attr; g:=0
    for n,kk:=range []Kind{Unknown,Unused,Normal,Control,UserDefined,Byte}{ if w.has(kk){g|=1<<n}}
    if g!=a&63{rep("%d %q attr %b want %b",i,v.Text(Token(i)),g,a)}
    if (w&attrLStrip!=0)!=(a&128!=0&&a&256==0)&&false{rep("x")}
   case 'E': k++; sp:=l[2]=='1'; x:=texts[(k-1)/2]; last=v.Encode(x,EncodeOptions{AddSpecial:sp,ParseSpecial:true}); g:=l[:3]; for _,tt:=range last{g+=fmt.Sprintf(" %d",tt)}; if strings.TrimSpace(g)!=l{rep("%q got %s want %s",x,g,l)}
   case 'D': h:="p"+hex.EncodeToString([]byte(v.Decode(last,true))); if w:=strings.TrimPrefix(l,"D ");h!=w{ a,_:=hex.DecodeString(h[1:]);b,_:=hex.DecodeString(w[1:]); rep("decode got %q want %q",a,b)}
   }}
  t.Log(filepath.Base(file),k,bad)
 }
}
