package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func TestX(t *testing.T) {
	s := "# Head\n\nSome *it* **bold** `code` text that is long enough to wrap at forty.\n\n- a\n- b\n  - c\n\n3. x\n4. y\n\n> quote\n\n```go\nfunc x() {} // hi\n```\n\n| a | b |\n|---|---|\n| 日本語日本語日本語 | 2 |\n\nloooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooong\n\n[link](http://x.y/z) <b>html</b> &amp; vector<int> `a &lt; b` &#27;[31mred `&#27;` &lt;\n\n<div>\nblock\n</div>\n\n---\n\n- [x] done\n\n日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語\n"
	bl, rest := Split(s)
	fmt.Printf("rest %q\n", rest)
	for _, c := range []bool{false, true} {
		r := New(40, c)
		for _, b := range append(bl, rest) {
			l := r.Lines(b)
			fmt.Println(strings.Join(l, "\n"))
			fmt.Println()
			if c {
				fmt.Printf("%q\n", l)
			}
		}
	}
}
