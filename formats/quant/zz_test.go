package quant
import ("testing";"os";"math")
func TestZZ(t *testing.T){
 for _,ty:=range Types(){
  raw,err:=os.ReadFile("/tmp/qx/"+ty.String()+".raw"); if err!=nil{t.Log("none",ty);continue}
  want,_:=os.ReadFile("/tmp/qx/"+ty.String()+".f32")
  got:=make([]float32,len(want)/4); Decode(ty,got,raw)
  bad,nan,sig:=0,0,0
  for i,g:=range got{ w:=math.Float32frombits(le.Uint32(want[4*i:])); gb,wb:=math.Float32bits(g),math.Float32bits(w)
   if gb!=wb { if g!=g&&w!=w {nan++;if gb^wb!=1<<31{sig++};continue}; bad++; if bad<4{t.Errorf("%s %d: %g %g %x %x",ty,i,g,w,gb,wb)}}}
  t.Logf("%s n=%d bad=%d nan-bits=%d non-sign %d",ty,len(got),bad,nan,sig)
 }
}
