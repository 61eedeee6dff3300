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

	mu    sync.Mutex
	files map[string]*file // of the sessions that were saved
	saves int
}

// file is where a session is saved.
type file struct {
	id      string      // its name: the session's, or another one after a conflict
	written int         // the number of the save that was written last
	known   os.FileInfo // as it was read or written last; nil: it was not there
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
	f, number := s.file(session), s.saves
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.written > number {
			return nil
		}
		f.written = number
		if s.changed(f) {
			f.id = newID(time.Now())
		}
		if err := WriteFile(s.path(f.id), data); err != nil {
			return err
		}
		f.known, err = os.Stat(s.path(f.id))
		return err
	}, nil
}

func (s *Store) file(session *Session) *file {
	if s.files == nil {
		s.files = map[string]*file{}
	}
	if s.files[session.ID] == nil {
		s.files[session.ID] = &file{id: session.ID, known: session.file}
	}
	return s.files[session.ID]
}

// changed reports whether another program has written the file in the meantime. What is said here goes to a file of its own
// then, so that neither loses a turn.
func (s *Store) changed(f *file) bool {
	now, err := os.Stat(s.path(f.id))
	return err == nil && (f.known == nil || !now.ModTime().Equal(f.known.ModTime()) || now.Size() != f.known.Size())
}

// WriteFile writes a file whole or not at all, for its owner only. What is no file, such as /dev/stdout, is written to as it
// is: a new file must not take its place.
func WriteFile(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o600)
	}
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
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	session, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	session.file = info
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
	path := filepath.Join(s.Dir, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // to open a named pipe would wait for a writer
		return e, false
	}
	f, err := os.Open(path)
	if err != nil {
		return e, false
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 64<<10).ReadBytes('\n')
	if json.Unmarshal(line, &e.Header) != nil || e.Version != version {
		return e, false
	}
	e.ID, e.Changed = id, info.ModTime()
	return e, true
}
