// Package section reads and replaces the part of a document that a program writes. It stands between two lines:
//
//	<!-- NAME: begin -->
//	<!-- NAME: end -->
package section

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Read returns a section of the file at path. It is an error if there is none.
func Read(path, name string) (string, error) {
	_, text, _, err := cut(path, name)
	return text, err
}

// Check finds out whether Write will find the section and may write the file, before a long job makes what is to be written.
func Check(path, name string) error {
	if _, err := Read(path, name); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// Write replaces a section by a text, which ends with a new line, between empty lines.
func Write(path, name, text string) error {
	before, _, after, err := cut(path, name)
	if err != nil {
		return err
	}
	whole := path + ".new" // so that a full disk does not take the document
	if err := os.WriteFile(whole, []byte(before+"\n"+text+"\n"+after), 0o644); err != nil {
		return errors.Join(err, os.Remove(whole))
	}
	return os.Rename(whole, path)
}

// cut divides a file into a section, what is before it and what follows, with the lines that name it.
func cut(path, name string) (before, text, after string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", "", err
	}
	begin, end := "<!-- "+name+": begin -->\n", "<!-- "+name+": end -->\n"
	before, rest, ok := strings.Cut(string(data), begin)
	text, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", "", "", fmt.Errorf("%s: has no lines %q and %q", path, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin, text, end + after, nil
}
