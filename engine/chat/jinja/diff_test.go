package jinja
import ("testing";"os")
func TestDiff(t *testing.T){ if p:=os.Getenv("DIFF"); p!="" { checkRows(t,p) } }
