package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/conversation"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sample() *Session {
	s := New("Demo", noon)
	s.System = "Be brief."
	q := s.Tree.Add(0, chat.Message{Role: "user", Content: "What is\n<12> + 30?"})
	a := s.Tree.Add(q.ID, chat.Message{Role: "assistant", Content: "42", Reasoning: "12 and 30"})
	a.Made = &conversation.Made{At: noon, Seed: 7, Generated: 3, Tokens: []int32{5, 6, 7}}
	s.Tree.Add(q.ID, chat.Message{Role: "assistant", Content: "43"})
	s.Tree.Walk(s.Tree.Leaf(), -1)
	return s
}

func TestSavedAndResumed(t *testing.T) {
	store := &Store{Dir: filepath.Join(t.TempDir(), "a", "sessions")}
	if list, err := store.List(); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	s := sample()
	write, err := store.Save(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Tree.Add(1, chat.Message{Role: "assistant", Content: "44"}) // comes too late for this save
	if err := write(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{s.ID, s.ID[:15], "last"} {
		got, err := store.Load(id)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Tree.Turns()) != 3 || got.Tree.Leaf().Message.Content != "42" || got.Tree.Leaf().Made.Tokens[2] != 7 || got.System != "Be brief." || got.Title != "What is <12> + 30?" {
			t.Errorf("%s: %+v", id, got.Header)
		}
		first, _ := got.Encode()
		if again, err := Decode(bytes.NewReader(first)); err != nil || again.Turns != 3 {
			t.Error("written again it is another", err)
		}
	}
	for _, id := range []string{"", "2025", "../x"} {
		if _, err := store.Load(id); err == nil {
			t.Errorf("%q is found", id)
		}
	}
	files, _ := os.ReadDir(store.Dir)
	if info, _ := files[0].Info(); len(files) != 1 || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("files %v", files)
	}
}

// A file is found before an ID, and what follows it must not be written over the session that it is of.
func TestFind(t *testing.T) {
	s := sample()
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	if err := WriteFile(path, data); err != nil {
		t.Fatal(err)
	}
	var none *Store
	if got, err := none.Find(path); err != nil || got.ID == s.ID || got.Title != s.Title {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := none.Find("2026"); err == nil || !strings.Contains(err.Error(), "--no-save") {
		t.Errorf("%v", err)
	}
	if got, err := (&Store{Dir: filepath.Dir(path)}).Find("talk"); err != nil || got.Title != s.Title {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLateSave: an older state is not written over a newer one.
func TestLateSave(t *testing.T) {
	store := &Store{Dir: t.TempDir()}
	s := sample()
	older, _ := store.Save(s)
	s.Title = "newer"
	newer, _ := store.Save(s)
	if newer() != nil || older() != nil {
		t.Fatal("not written")
	}
	if got, err := store.Load("last"); err != nil || got.Title != "newer" {
		t.Error(got.Title, err)
	}
}

// TestTwoPrograms go on with one session: the second gets a file of its own, and stays with it.
func TestTwoPrograms(t *testing.T) {
	a := &Store{Dir: t.TempDir()}
	b := &Store{Dir: a.Dir}
	save := func(store *Store, s *Session, title string) {
		t.Helper()
		s.Title = title
		if write, err := store.Save(s); err != nil || write() != nil {
			t.Fatal("not saved")
		}
	}
	mine := sample()
	save(a, mine, "mine")
	save(a, mine, "mine again")
	theirs, err := b.Load(mine.ID)
	if err != nil {
		t.Fatal(err)
	}
	save(b, theirs, "theirs, too")
	save(a, mine, "mine at last")
	save(a, mine, "mine at the very last")
	save(b, theirs, "theirs at last")
	var titles []string
	list, err := a.List()
	for _, e := range list {
		titles = append(titles, e.Title)
	}
	if slices.Sort(titles); err != nil || !slices.Equal(titles, []string{"mine at the very last", "theirs at last"}) {
		t.Errorf("%q, %v", titles, err)
	}
}

func TestForeignFiles(t *testing.T) {
	store := &Store{Dir: t.TempDir()}
	whole, _ := sample().Encode()
	lines := strings.SplitAfter(string(whole), "\n")
	for name, c := range map[string]struct {
		text  string
		turns int // -1: an error
	}{
		"cut":      {lines[0] + lines[1] + lines[2][:20], 1},
		"empty":    {"", -1},
		"junk":     {"{", -1},
		"newer":    {`{"llamakit_session": 2}`, -1},
		"other":    {`{"a": 1}`, -1},
		"messages": {`{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}` + "\n" + `{"messages": [{"role": "user", "content": "v"}]}`, 2},
	} {
		path := filepath.Join(store.Dir, name+suffix)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if (err != nil) != (c.turns < 0) || err == nil && len(s.Tree.Turns()) != c.turns {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := store.List(); err != nil || len(list) != 1 || list[0].ID != "cut" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestWriteFile writes through a link, which stands for /dev/stdout here, and to no folder.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := WriteFile(file, []byte("longer than what follows")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link was replaced: %v", err)
	}
	if data, err := os.ReadFile(file); string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if err := WriteFile(dir, nil); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a folder: %v", err)
	}
}

func TestHistory(t *testing.T) {
	h := History{filepath.Join(t.TempDir(), "state", "history")}
	if h.Read() != nil {
		t.Error("there is something before the first")
	}
	for i := range 2*maxHistory + 1 {
		if err := h.Add(fmt.Sprintf("line %d\nand another", i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if list := h.Read(); len(list) != maxHistory || list[maxHistory-1] != "line 2000\nand another" {
			t.Fatalf("%d remembered", len(list))
		}
	}
	if data, _ := os.ReadFile(h.Path); bytes.Count(data, []byte("\n")) != maxHistory {
		t.Error("the file is not cut")
	}
}

func FuzzDecode(f *testing.F) {
	whole, _ := sample().Encode()
	f.Add(whole)
	f.Add([]byte(`{"messages": [{"role": "user"}]}`))
	f.Add([]byte("{\"llamakit_session\":1,\"leaf\":9}\n{\"id\":1,\"next\":1}\n{\"id\":2,\"parent\":1,\"next\":2}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		s.Tree.Look(1)
		s.Tree.Path()
		if _, err := s.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}
