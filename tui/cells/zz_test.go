package cells
import ("testing";"time";"math/rand";"fmt";"os")
func TestZZ(t *testing.T){
 r:=rand.New(rand.NewSource(1)); al:=[]rune("ab 日\u0301👩\u200d\t\n\u0600م🇫🇷\u0e33\u1100\u1161 ")
 var cur string; var w int; start:=time.Now()
 done:=make(chan bool)
 go func(){ for { select{case <-done: return; case <-time.After(100*time.Millisecond): if time.Since(start)>2*time.Second { fmt.Printf("HANG %q %d\n",cur,w); os.Exit(3)} } } }()
 for i:=0;i<300000;i++{ n:=r.Intn(40); x:=make([]rune,n); for j:=range x{x[j]=al[r.Intn(len(al))]}; cur=string(x); w=2+r.Intn(12); start=time.Now(); for _,l:=range Wrap(cur,w){ if Width(l)>w {t.Fatalf("%q %d %q",cur,w,l)}} }
 close(done)
}
