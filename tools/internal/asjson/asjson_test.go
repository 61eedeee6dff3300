package asjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestWrite(t *testing.T) {
	in := map[string]string{"<a>": "\x1b[2J日本\u202e\U000e0001é\x7f"}
	var b bytes.Buffer
	if err := Write(&b, in); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"<a>\": \"\\u001b[2J日本\\u202e\\udb40\\udc01é\\u007f\"\n}\n"
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
	var back map[string]string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["<a>"] != in["<a>"] {
		t.Errorf("%q, %v", back, err)
	}
}
