// Package session keeps conversations in files, one each, in the state folder of the user
// (https://specifications.freedesktop.org/basedir-spec/latest/).
//
// A file is JSON lines: the first describes the session, each of the others is a turn. It is always whole: it is written under
// another name and renamed, so that a process that is killed loses at most the answer that was under way.
package session

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/conversation"
)

// Session is a conversation with what belongs to it.
type Session struct {
	Header
	Tree *conversation.Tree

	file os.FileInfo // that it was read from, as it was
}

// Header is the first line of a file.
type Header struct {
	Version int       `json:"llamakit_session"` // of the format: 1
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Title   string    `json:"title,omitempty"`
	Model   string    `json:"model,omitempty"`
	System  string    `json:"system,omitempty"`
	Leaf    int       `json:"leaf,omitempty"` // the turn that is looked at
	Turns   int       `json:"turns"`
}

// version is the only format so far.
const version = 1

// New is an empty session.
func New(model string, now time.Time) *Session {
	return &Session{Header: Header{Version: version, ID: newID(now), Created: now, Model: model}, Tree: &conversation.Tree{}}
}

func newID(now time.Time) string {
	suffix := make([]byte, 2)
	_, _ = rand.Read(suffix) // never fails
	return now.Format("20060102-150405-") + hex.EncodeToString(suffix)
}

// Messages are what a model sees of the turns of a path: the system message first, where there is one.
func (s *Session) Messages(path []*conversation.Turn) (list []chat.Message) {
	if s.System != "" {
		list = append(list, chat.Message{Role: "system", Content: s.System})
	}
	for _, turn := range path {
		list = append(list, turn.Message)
	}
	return list
}

// maxTitle is how many characters of a first message name a session.
const maxTitle = 60

// name gives a session a title, from the first message, where it has none.
func (s *Session) name() {
	turns := s.Tree.Turns()
	if s.Title != "" || len(turns) == 0 {
		return
	}
	text := []rune(strings.Join(strings.Fields(turns[0].Message.Text()), " "))
	s.Title = string(text[:min(len(text), maxTitle)])
}

// Encode is the file of a session.
func (s *Session) Encode() ([]byte, error) {
	s.name()
	s.Turns, s.Leaf = len(s.Tree.Turns()), 0
	if leaf := s.Tree.Leaf(); leaf != nil {
		s.Leaf = leaf.ID
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s.Header)
	for _, turn := range s.Tree.Turns() {
		if err == nil {
			err = e.Encode(turn)
		}
	}
	return b.Bytes(), err
}

// MaxFile is the largest file that is read.
const MaxFile = 256 << 20

// Decode reads a session, or conversations as training data has them: lines of {"messages": [...]}, each a branch. Turns that
// are not whole, as at the end of a file that was cut, are left out.
func Decode(r io.Reader) (*Session, error) {
	in := bufio.NewScanner(io.LimitReader(r, MaxFile))
	in.Buffer(make([]byte, 64<<10), MaxFile)
	if !in.Scan() {
		return nil, fmt.Errorf("an empty file is no session")
	}
	s := &Session{}
	if err := json.Unmarshal(in.Bytes(), &s.Header); err != nil {
		return nil, fmt.Errorf("line 1 is no session: %w", err)
	}
	switch {
	case s.Version == 0:
		return decodeMessages(in)
	case s.Version != version:
		return nil, fmt.Errorf("the session is of format %d, known is %d", s.Version, version)
	}
	var turns []*conversation.Turn
	for in.Scan() {
		turn := &conversation.Turn{}
		if json.Unmarshal(in.Bytes(), turn) != nil {
			break
		}
		turns = append(turns, turn)
	}
	s.Tree = conversation.Build(turns)
	s.Tree.Cut(s.Leaf)
	return s, in.Err()
}

// decodeMessages reads lines of messages; the scanner stands at the first.
func decodeMessages(in *bufio.Scanner) (*Session, error) {
	s := New("", time.Now())
	for n := 1; ; n++ {
		var line struct{ Messages []chat.Message }
		if err := json.Unmarshal(in.Bytes(), &line); err != nil || len(line.Messages) == 0 {
			return nil, fmt.Errorf("line %d is no conversation: want an object with messages", n)
		}
		parent := 0
		for i, m := range line.Messages {
			if i == 0 && m.Role == "system" {
				s.System = m.Text()
				continue
			}
			parent = s.Tree.Add(parent, m).ID
		}
		if !in.Scan() {
			return s, in.Err()
		}
	}
}
