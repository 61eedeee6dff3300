package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// Limits: of the header as in the reference implementation, of tensors and dimensions beyond all known files.
const (
	maxHeader   = 100_000_000
	maxTensors  = 100_000
	maxMetadata = 1 << 16
	maxDims     = 32
)

// part is one parsed file.
type part struct {
	name     string
	data     []byte // the whole file
	metadata map[string]string
	tensors  []Tensor
	close    func() error
}

// parsePart reads the header in data and checks that everything it promises is there.
func parsePart(name string, data []byte) (*part, error) {
	p := &part{name: name, data: data, metadata: map[string]string{}, close: func() error { return nil }}
	end, err := headerEnd(name, data)
	if err != nil {
		return nil, err
	}
	s := &scanner{file: name, data: data[:end], pos: 8}
	if !utf8.Valid(data[8:end]) {
		s.fail(ErrCorrupt, 8, "the header is not UTF-8")
	}
	p.readHeader(s)
	if s.peek(); s.pos < end {
		s.fail(ErrCorrupt, s.pos, "the header goes on behind its JSON")
	}
	p.place(s, end)
	return p, s.err
}

// headerEnd returns where the header ends and the data begins.
func headerEnd(name string, data []byte) (int, error) {
	if what := foreign(data); what != "" {
		return 0, fault.At(ErrUnsupported, name, 0, "not a safetensors file but %s", what)
	}
	if len(data) < 8 {
		return 0, fault.At(ErrCorrupt, name, 0, "a file of %d bytes has no header (interrupted download? fetch it again)", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	switch left := uint64(len(data) - 8); {
	case n > maxHeader:
		return 0, fault.At(ErrCorrupt, name, 0, "a header of %d bytes is longer than the limit of %d (not a safetensors file?)", n, maxHeader)
	case n > left:
		return 0, fault.At(ErrCorrupt, name, 0, "a header of %d bytes, but the file ends after %d: %d bytes missing (incomplete download? fetch it again)", n, left, n-left)
	case n == 0 || data[8] != '{':
		return 0, fault.At(ErrCorrupt, name, 8, "the header does not begin with '{' (not a safetensors file?)")
	}
	return 8 + int(n), nil
}

// foreign says what a file is that is often taken for safetensors.
func foreign(data []byte) string {
	for magic, what := range map[string]string{
		"version https://git-lfs": "a Git LFS pointer (run `git lfs pull`)",
		"GGUF":                    "a GGUF file, which needs no conversion",
		"PK\x03\x04":              "a PyTorch checkpoint (save the model as safetensors)",
		"<!DOCTYPE":               "an HTML page (download the file itself)",
		"<!doctype":               "an HTML page (download the file itself)",
		"<html":                   "an HTML page (download the file itself)",
	} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return what
		}
	}
	return ""
}

// readHeader reads the entries. Offsets count from the beginning of the data until place.
func (p *part) readHeader(s *scanner) {
	seen := map[string]int{}
	s.object(func(name string, at int) {
		if first, twice := seen[name]; twice {
			s.fail(ErrCorrupt, at, "tensor %s is there twice, first at byte %d", quote(name), first)
		}
		seen[name] = at
		if name == "__metadata__" {
			p.readMetadata(s)
			return
		}
		if len(p.tensors) == maxTensors {
			s.fail(ErrUnsupported, at, "more than %d tensors in one file", maxTensors)
		}
		if s.err == nil {
			p.tensors = append(p.tensors, readEntry(s, name, at))
		}
	})
}

func (p *part) readMetadata(s *scanner) {
	s.object(func(key string, at int) {
		if _, twice := p.metadata[key]; twice {
			s.fail(ErrCorrupt, at, "__metadata__: key %s is there twice", quote(key))
		}
		if len(p.metadata) == maxMetadata {
			s.fail(ErrUnsupported, at, "__metadata__: more than %d keys", maxMetadata)
		}
		p.metadata[key] = s.str()
	})
}

// readEntry reads what stands behind a tensor's name and checks type, shape and size against each other.
func readEntry(s *scanner, name string, at int) Tensor {
	t := Tensor{Name: name, entry: at, Shape: []int{}}
	var offsets []int
	fields := 0
	once := func(bit int) {
		if fields&bit != 0 {
			s.fail(ErrCorrupt, s.pos, "tensor %s: a field is there twice", quote(name))
		}
		fields |= bit
	}
	s.object(func(field string, _ int) {
		switch field {
		case "dtype":
			once(1)
			t.DType = known(DType(s.str()))
		case "shape":
			once(2)
			t.Shape = s.integers(maxDims)
		case "data_offsets":
			once(4)
			offsets = s.integers(2)
		default:
			s.skip(maxDepth)
		}
	})
	switch {
	case s.err != nil:
	case fields != 7 || len(offsets) != 2:
		s.fail(ErrCorrupt, at, "tensor %s: dtype, shape and two data_offsets are needed", quote(name))
	case t.DType.Bits() == 0:
		s.fail(ErrUnsupported, at, "tensor %s: dtype %s is not known; it may be newer than this program", quote(name), quote(string(t.DType)))
	case offsets[0] > offsets[1]:
		s.fail(ErrCorrupt, at, "tensor %s: its data ends at %d, before it begins at %d", quote(name), offsets[1], offsets[0])
	default:
		t.Offset, t.Size = int64(offsets[0]), int64(offsets[1]-offsets[0])
		if size, ok := t.DType.size(t.Shape); !ok || size != t.Size {
			s.fail(ErrCorrupt, at, "tensor %s: %d bytes of data cannot be shape %v of %s", quote(name), t.Size, t.Shape, t.DType)
		}
	}
	return t
}

// integers reads a list of at most limit integers.
func (s *scanner) integers(limit int) []int {
	list := make([]int, 0, min(limit, 4))
	s.list('[', ']', func() {
		if len(list) == limit {
			s.fail(ErrUnsupported, s.pos, "a list of more than %d numbers", limit)
		}
		if s.err == nil {
			list = append(list, s.integer())
		}
	})
	return list
}

// place sorts the tensors by their data, checks that it fills the file from begin to the end without gap or overlap, and
// turns the offsets into positions in the file.
func (p *part) place(s *scanner, begin int) {
	if s.err != nil {
		return
	}
	slices.SortStableFunc(p.tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Size, b.Size))
	})
	p.checkComplete(s, int64(len(p.data)-begin))
	end, last := int64(0), -1
	for i := range p.tensors {
		t := &p.tensors[i]
		switch {
		case last >= 0 && t.Size > 0 && t.sameData(&p.tensors[last]):
			t.SharesWith = cmp.Or(p.tensors[last].SharesWith, p.tensors[last].Name)
		case t.Offset < end:
			s.fail(ErrCorrupt, t.entry, "tensor %s: its data begins at %d, inside the data of tensor %s, which ends at %d", quote(t.Name), t.Offset, quote(p.tensors[last].Name), end)
		case t.Offset > end:
			s.fail(ErrCorrupt, t.entry, "tensor %s: its data begins at %d, behind a gap of %d bytes", quote(t.Name), t.Offset, t.Offset-end)
		}
		if t.Size > 0 {
			end, last = t.Offset+t.Size, i
		}
	}
	for i := range p.tensors {
		p.tensors[i].Offset += int64(begin)
	}
	if rest := int64(len(p.data)-begin) - end; rest > 0 {
		s.fail(ErrCorrupt, begin+int(end), "%d bytes follow the data of the last tensor", rest)
	}
}

// checkComplete refuses a file that ends before its data does, which has size bytes here.
func (p *part) checkComplete(s *scanner, size int64) {
	var cut *Tensor
	end := size
	for i := range p.tensors {
		t := &p.tensors[i]
		if t.Offset+t.Size > size && cut == nil {
			cut = t
		}
		end = max(end, t.Offset+t.Size)
	}
	if cut != nil {
		s.fail(ErrCorrupt, len(p.data), "tensor %s: the file ends here, but its data ends %d bytes later; with those of all tensors %d bytes missing (incomplete download? fetch it again)",
			quote(cut.Name), cut.Offset+cut.Size-size, end-size)
	}
}

// sameData reports whether two tensors are the same bytes and mean the same.
func (t *Tensor) sameData(o *Tensor) bool {
	return t.Offset == o.Offset && t.Size == o.Size && t.DType == o.DType && slices.Equal(t.Shape, o.Shape)
}
