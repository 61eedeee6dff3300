package vocab
import ("testing";"github.com/llamakit/llamakit/formats/gguf";"path/filepath";"github.com/llamakit/llamakit/bench/golden")
func TestZReal(t *testing.T){ p:=newPeer(t); fs,_:=filepath.Glob(golden.Peer(t)+"/v-*.gguf")
 for _,f:=range fs{ t.Run(filepath.Base(f),func(t *testing.T){ g,err:=gguf.Open(f); if err!=nil{t.Fatal(err)}; defer g.Close(); p.compare(t,g.Metadata); v:=mustNew(t,g.Metadata); t.Log(v.Model,v.Pre,v.Size(),v.Specials,v.AddBOS,v.AddEOS)})}}
