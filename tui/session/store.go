package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Store is a folder of sessions.
type Store struct {
	Dir string

	mu      sync.Mutex
	written map[string]int // the number of the save that was written last, by session
	saves   int
}

// StateDir is the folder of this program's state.
func StateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "llamakit"), nil
	}
	if dir := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "llamakit"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "llamakit"), err
}

const suffix = ".jsonl"

func (s *Store) path(id string) string { return filepath.Join(s.Dir, id+suffix) }

// Save encodes a session now and returns the function that writes it: that may take its time, and of several the one that was
// made last wins.
func (s *Store) Save(session *Session) (write func() error, err error) {
	data, err := session.Encode()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves++
	id, number := session.ID, s.saves
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.written[id] > number {
			return nil
		}
		if s.written == nil {
			s.written = map[string]int{}
		}
		s.written[id] = number
		return WriteFile(s.path(id), data)
	}, nil
}

// WriteFile writes a file whole or not at all, for its owner only.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".*.part") // not readable by others
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Load reads a session by its ID, the beginning of one that fits no other, or "last".
func (s *Store) Load(id string) (*Session, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return !strings.HasPrefix(e.ID, id) })
	switch {
	case id == "last" && len(list) > 0:
		return Open(s.path(list[0].ID))
	case id == "" || len(found) == 0:
		return nil, fmt.Errorf("there is no session %q in %s", id, s.Dir)
	case len(found) > 1:
		return nil, fmt.Errorf("%d sessions begin with %q", len(found), id)
	}
	return Open(s.path(found[0].ID))
}

// Find reads a session from a file, or else loads one by its ID. What follows one from a file goes to a session of its own. A nil
// store has none.
func (s *Store) Find(name string) (*Session, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		found, err := Open(name)
		if err == nil {
			found.ID = New("", time.Now()).ID
		}
		return found, err
	}
	if s == nil {
		return nil, fmt.Errorf("there is no file %s, and sessions are not kept here (--no-save)", name)
	}
	return s.Load(name)
}

// Open reads a session from a file.
func Open(path string) (*Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	session, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return session, nil
}

// Entry is a line of the list of sessions.
type Entry struct {
	Header
	Changed time.Time `json:"changed"`
}

// List is all sessions, those that were changed last first. Files that are none are passed over.
func (s *Store) List() ([]Entry, error) {
	files, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, f := range files {
		if e, ok := s.entry(f.Name()); ok {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		if c := b.Changed.Compare(a.Changed); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return out, nil
}

// entry reads the first line of a file. The name counts, not what the file says of itself.
func (s *Store) entry(name string) (e Entry, ok bool) {
	id, ok := strings.CutSuffix(name, suffix)
	if !ok || strings.HasPrefix(name, ".") {
		return e, false
	}
	f, err := os.Open(filepath.Join(s.Dir, name))
	if err != nil {
		return e, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return e, false
	}
	line, _ := bufio.NewReaderSize(f, 64<<10).ReadBytes('\n')
	if json.Unmarshal(line, &e.Header) != nil || e.Version != version {
		return e, false
	}
	e.ID, e.Changed = id, info.ModTime()
	return e, true
}
