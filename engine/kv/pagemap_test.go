package kv

import "testing"

func TestMap(t *testing.T) {
	p := NewPool(8, 0)
	a, _, _ := run(t, p, text(2*PageSize+5, 1))
	b, _, _ := run(t, p, text(2*PageSize+5, 1))
	show := func() string {
		var out string
		for _, s := range p.Map(nil) {
			out += string(rune(s))
		}
		return out
	}
	if got := show(); got != "ssuu...." {
		t.Errorf("two sequences with one beginning: %s", got)
	}
	a.Close()
	if got := show(); got != "uucu...." {
		t.Errorf("one of them has ended: %s", got)
	}
	b.Close()
	if got := show(); got != "ccc....." && got != "cccc...." {
		t.Errorf("both have ended: %s", got)
	}
	s := p.Stats()
	if n := len(p.Map(nil)); n != s.Total {
		t.Errorf("%d states of %d pages", n, s.Total)
	}
}
