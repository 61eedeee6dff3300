package table

import (
	"bytes"
	"testing"
)

func TestWrite(t *testing.T) {
	columns := []Column{Left("name"), Right("bytes")}
	for _, c := range []struct {
		markdown bool
		want     string
	}{
		{false, " name  bytes\n 日本      1\n a|b     100\n"},
		{true, "| name | bytes |\n|:-----|------:|\n| 日本 |     1 |\n| a\\|b |   100 |\n"},
	} {
		var b bytes.Buffer
		if err := Write(&b, c.markdown, columns, [][]string{{"日本", "1"}, {"a|b", "100"}}); err != nil || b.String() != c.want {
			t.Errorf("markdown %t: %v\n%s", c.markdown, err, b.String())
		}
	}
	if got := Shape([]int{4096, 2, 1}); got != "4096x2x1" {
		t.Error(got)
	}
}
