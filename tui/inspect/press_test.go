package inspect

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestFlows presses keys and looks for texts on the screen, and for those that must not be there (after !).
func TestFlows(t *testing.T) {
	for _, c := range []struct {
		keys string
		want []string
	}{
		{"@2 rope", []string{"▸ qwen3.rope.freq_base", "1 of 29", "!general.name"}},
		{"@2 zzz", []string{"nothing matches"}},
		{"@2 zzz esc", []string{"29 of 29", "▸ general.architecture"}},
		{"@2 tokens enter", []string{"tokenizer.ggml.tokens  arr[str,4096]", "      0  !"}},
		{"@2 tokens enter end", []string{"   4095  </think>", "!      0  "}},
		{"@2 tokens enter esc esc", []string{"29 of 29"}},
		{"@2 chat_template enter", []string{"{%- if tools %}"}},
		{"@2 ?", []string{"filter: all words"}},
		{"@2 name ?", []string{"/ name?"}}, // in a field with text, a question mark is text
		{"@3 ^s ^s ^s ^s", []string{"by bytes ↓", "▸ token_embd.weight"}},
		{"@3 ^s ^r", []string{"by name ↑", "token_embd.weight"}},
		{"@3 blk.5␣!norm␣q8", []string{"7 of 68", "!blk.5.attn_norm"}},
		{"@3 blk.?.attn_q.weight", []string{"6 of 68", "!attn_k"}},
		{"@3 attn_q enter down", []string{"blk.0.attn_q.weight", "q8_0  256x256", "scales of blocks of 32"}},
		{"@3 attn_q enter x esc", []string{"/ attn_q ", "12 of 68"}}, // what is typed inside does not filter
		{"@4", []string{"on question", "Why is the sky blue?<|im_end|>"}},
		{"@4 left", []string{"on tools", `{"name": "weather", "arguments": {"city": "Paris"}}`}},
		{"@4 r", []string{"{%- if tools %}"}},
		{"@5 #12-13", []string{"2 of 4096", "     13  "}},
		{"@5 /^(ing|The)$/", []string{"2 of 4096", "'The'"}},
		{"@5 /(", []string{"missing closing"}},
		{"@5 /( esc", []string{"4096 of 4096"}},
		{"@5 enter Hello", []string{"1 tokens", "1341"}},
		{"@5 enter Hello enter", []string{"4096 of 4096"}},
		{"@5 the @2 @5", []string{"/ the"}}, // a search is still there
		{"@6 q4_0 enter ffn_up", []string{"Q4_0: ", "6 of 68", "q8_0     q4_0"}},
		{"@6 q4_0 enter ffn_up esc esc esc", []string{"35 of 35"}},
		{"@6 mxfp4 enter", []string{"MXFP4_MOE", "no \\x1b[2Jexperts"}},
		{"@7 right", []string{"-c    4096", "keys and values    12.00 MiB"}},
		{"@7 3 0 0 0 bs", []string{"-c    300"}},
		{"@7 down down right", []string{"-ctk  f32"}},
		{"@7 down down down down 9 9", []string{"-ngl  7", "7 of 7 layers"}},
		{"back", []string{"[memory]"}},
	} {
		u := sit(t, 100, 30, open(t, demo))
		screen := u.press(strings.Fields(c.keys)...) // ␣ is a blank
		for _, want := range c.want {
			text, not := strings.CutPrefix(want, "!")
			if len(want) > 1 && strings.Contains(screen, text) == not {
				t.Errorf("%s: %q\n%s", c.keys, want, screen)
			}
		}
	}
}

func TestCompared(t *testing.T) {
	for _, c := range []struct {
		keys string
		want []string
	}{
		{"", []string{"3 of 30 keys and 3 of 69 tensors differ"}},
		{"@2 ^o", []string{"3 of 30", "-  general.type", "+  new.key", "Demo → Changed"}},
		{"@2 ^o ^o", []string{"30 of 30"}},
		{"@2 general.name enter", []string{"A  str", "Demo", "B  str", "Changed"}},
		{"@3 ^o down enter", []string{"blk.0.ffn_gate.weight", "only A"}},
		{"@3 ^o enter", []string{"f32  256", "f16  256", "A - B"}},
		{"@3 renamed enter", []string{"only B", "scales of blocks"}},
		{"@5 ^t", []string{"[B]", "4096 of 4096"}},
		{"@7 ^t", []string{"[B]", "blk.0.ffn_gate.weight is missing"}}, // cannot be loaded
	} {
		u := sit(t, 100, 30, open(t, demo), open(t, changed(t)))
		screen := u.press(strings.Fields(c.keys)...) // ␣ is a blank
		for _, want := range c.want {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: no %q\n%s", c.keys, want, screen)
			}
		}
	}
}

// TestHostile shows a file whose names and texts could do harm, in every section: sit checks every screen.
func TestHostile(t *testing.T) {
	const bad = "x\x1b[2J\u202e\a\u009b2J\t\n"
	md := gguf.NewMetadata()
	for key, v := range map[string]gguf.Value{"general.architecture": gguf.String(bad), "general.name": gguf.String(bad), "key " + bad: gguf.String("\xff"), "list": gguf.Strings([]string{bad}),
		"tokenizer.ggml.tokens": gguf.Strings([]string{bad, "\xff"}), "tokenizer.ggml.model": gguf.String(bad), "tokenizer.chat_template": gguf.String("{{ '" + bad + "' }}"),
		"tokenizer.chat_template." + bad: gguf.String("{% " + bad)} {
		md.Set(key, v)
	}
	path := filepath.Join(t.TempDir(), "evil.gguf")
	w, err := gguf.Create(path, md, []gguf.TensorInfo{{Name: "t" + bad, Type: quant.F32, Shape: []int{4}}, {Name: "", Type: quant.F16, Shape: []int{0}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteTensor([]byte("\x00\x00\xc0\x7f\x00\x00\x80\x7f\x00\x00\x80\xff\x01\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteTensor(nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]File{{open(t, path)}, {open(t, path), open(t, demo)}} {
		for _, width := range []int{24, 40, 80, 160} {
			u := sit(t, width, 24, files...)
			for range 7 {
				u.press("enter")
				for range 4 {
					u.press("down", "right", "t", "esc", "down", "enter")
				}
				u.press("esc", "tab")
			}
			u.press("@5", "enter", bad)
		}
	}
}

// TestDamaged shows what there is of a file that was cut, and its damage.
func TestDamaged(t *testing.T) {
	data, err := os.ReadFile(demo)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.gguf")
	if err := os.WriteFile(path, data[:3_000_000], 0o600); err != nil {
		t.Fatal(err)
	}
	u := sit(t, 80, 24, open(t, path))
	for keys, want := range map[string]string{"@1": "3282464 bytes missing", "@3 end enter": "its data is not there", "@3 token_embd enter": "scales of blocks"} {
		u.press("esc", "esc")
		if screen := u.press(strings.Fields(keys)...); !strings.Contains(strings.Join(strings.Fields(screen), " "), want) {
			t.Errorf("%s: no %q in\n%s", keys, want, screen)
		}
	}
}

// TestRemote looks at a file on a server, of which the header and one tensor are read.
func TestRemote(t *testing.T) {
	var requests atomic.Int64
	files := http.FileServer(http.Dir(filepath.Dir(demo)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(w, r)
		requests.Add(1)
	}))
	defer s.Close()
	f, err := remote.Open(t.Context(), s.URL+"/demo.gguf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	u := sit(t, 100, 30, File{File: f})
	if screen := u.press("@3", "blk.5.attn_v", "enter"); !strings.Contains(screen, "scales of blocks") || requests.Load() > 4 {
		t.Errorf("%d requests\n%s", requests.Load(), screen)
	}
}

// TestSelectionMovesOn pins that a tensor that is no longer chosen is not read to the end.
func TestSelectionMovesOn(t *testing.T) {
	u := sit(t, 160, 30, open(t, demo))
	tensors := u.view.sections[2].(*tensors)
	u.press("@3")
	_, first := u.shell.Update(named["down"])
	_, second := u.shell.Update(named["down"])
	if msg := first(); msg != nil {
		t.Errorf("the first tensor was read: %v", msg)
	}
	u.run(second)
	if row, _ := tensors.browser.row(); tensors.survey.found[tensors.survey.key(&tensors.all[row])] == nil || len(tensors.survey.found) != 2 {
		t.Errorf("%d tensors are known", len(tensors.survey.found))
	}
}

// TestResize draws every section at all sizes.
func TestResize(t *testing.T) {
	u := sit(t, 80, 24, open(t, demo))
	for range 7 {
		for _, size := range [][2]int{{40, 4}, {20, 10}, {41, 13}, {109, 50}, {110, 8}, {300, 90}, {80, 24}} {
			u.size = tea.WindowSizeMsg{Width: size[0], Height: size[1]}
			_, cmd := u.shell.Update(u.size)
			u.run(cmd)
			u.screen()
			u.press("enter")
			u.press("enter")
		}
		u.press("tab")
	}
}
