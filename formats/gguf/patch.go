package gguf

import (
	"bytes"
	"io"
	"os"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// sector is what a disk writes whole or not at all, whatever stops the machine.
const sector = 512

// Patch changes keys and names of tensors of one shard in its file, where that can be done in a single write that cannot
// be interrupted: the new header is as long as the old one, padding included, and all bytes that differ are in one sector
// of 512. Otherwise it returns false and has changed nothing; then the file is to be written anew with Create.
//
// md are the keys of the shard, and names those of its tensors in the order of Tensors. f itself does not change.
func (f *File) Patch(shard int, md *Metadata, names []string) (bool, error) {
	s := f.shards[shard]
	if s.source != nil {
		return false, fault.In(ErrUnsupported, s.name, "is on a server; only local files can be changed")
	}
	before, err := f.header(shard, s.md, nil)
	if err != nil || len(before) > len(s.data) || !bytes.Equal(before, s.data[:len(before)]) {
		return false, nil // something that this package would write in another way
	}
	after, err := f.header(shard, md, names)
	if err != nil {
		return false, fault.In(err, s.name, "%v", err)
	}
	if len(after) != len(before) {
		return false, nil
	}
	first, last, differ := difference(before, after)
	if !differ {
		return true, nil
	}
	if first/sector != last/sector {
		return false, nil
	}
	return true, overwrite(s.name, int64(first), before[first:last+1], after[first:last+1])
}

// header encodes a shard's keys and entries, the offsets as they are, and pads it up to the data; names replace those of
// the tensors.
func (f *File) header(shard int, md *Metadata, names []string) ([]byte, error) {
	s := f.shards[shard]
	alignment, err := alignmentIn(md)
	if err != nil || alignment != s.alignment {
		return nil, err
	}
	l := &layout{alignment: alignment}
	var tensors []*Tensor
	for i := range f.Tensors {
		if f.Tensors[i].Shard == shard {
			tensors = append(tensors, &f.Tensors[i])
		}
	}
	l.begin(s.version, len(tensors), md.Len())
	if err := l.addKeys(md); err != nil {
		return nil, err
	}
	for i, t := range tensors {
		info := t.Info()
		if names != nil {
			info.Name = names[i]
		}
		if _, bad := checkInfo(info); bad != nil {
			return nil, fault.In(bad.kind, "", "tensor %s: %s", quote(info.Name), bad.fact)
		}
		l.addEntry(info, t.Offset-s.begin)
	}
	if len(tensors) > 0 {
		l.header = append(l.header, make([]byte, l.padding(int64(len(l.header))))...)
	}
	return l.header, nil
}

// difference returns the first and last index where a and b, of one length, differ.
func difference(a, b []byte) (first, last int, differ bool) {
	for first = range a {
		if a[first] != b[first] {
			break
		}
	}
	for last = len(a) - 1; last > first && a[last] == b[last]; last-- {
	}
	return first, last, len(a) > 0 && a[first] != b[first]
}

// overwrite replaces before by after at a byte of a file, unless something else stands there by now.
func overwrite(path string, at int64, before, after []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fault.OS(ErrNotFound, path, err)
	}
	defer f.Close()
	now := make([]byte, len(before))
	if _, err := f.ReadAt(now, at); err != nil && err != io.EOF {
		return fault.OS(nil, path, err)
	}
	if !bytes.Equal(now, before) {
		return fault.At(ErrCorrupt, path, at, "has changed since it was read (try again)")
	}
	if _, err = f.WriteAt(after, at); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fault.OS(nil, path, err)
	}
	return nil
}

// ShardMetadata returns the keys of one file of a set; those of the first are Metadata.
func (f *File) ShardMetadata(shard int) *Metadata { return f.shards[shard].md }
