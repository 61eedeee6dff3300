package safetensors

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/formats/internal/escape"
	"github.com/llamakit/llamakit/formats/internal/fault"
	"github.com/llamakit/llamakit/formats/internal/mmap"
)

const (
	indexSuffix = ".safetensors.index.json"
	fileSuffix  = ".safetensors"
	wholeFile   = "model" + fileSuffix
	indexFile   = "model" + indexSuffix

	maxIndexTensors = 1 << 18
	maxFiles        = 1 << 14
)

func isIndex(path string) bool { return strings.HasSuffix(path, indexSuffix) }

func printable(path string) string { return escape.Printable(path) }

// openFolder finds the weights in a folder.
func openFolder(dir string) (*File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault.OS(ErrNotFound, dir, err)
	}
	var names []string
	hasIndex := false
	for _, e := range entries {
		hasIndex = hasIndex || e.Name() == indexFile
		if strings.HasSuffix(e.Name(), fileSuffix) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	switch {
	case hasIndex:
		return openIndex(filepath.Join(dir, indexFile))
	case slices.Contains(names, wholeFile):
		return openParts([]string{filepath.Join(dir, wholeFile)})
	case len(names) == 0:
		return nil, fault.In(ErrNotFound, dir, "there is no .safetensors file in this folder%s", otherWeights(entries))
	}
	names, err = choose(dir, names)
	if err != nil {
		return nil, err
	}
	return openNames(dir, names)
}

// otherWeights is a hint for a folder that holds weights in another format.
func otherWeights(entries []os.DirEntry) string {
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".gguf":
			return "; it holds GGUF files, which need no conversion"
		case ".bin", ".pt", ".pth", ".ckpt":
			return "; it holds PyTorch weights (save the model as safetensors)"
		}
	}
	return ""
}

// choose picks the model's files where there is no index: those that begin with "model", else the only one.
func choose(dir string, names []string) ([]string, error) {
	model := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, "model") })
	switch {
	case len(model) > 0:
		return model, checkNumbers(dir, model)
	case len(names) > 1:
		return nil, fault.In(ErrUnsupported, dir, "there are %d .safetensors files, and neither an index nor a name says which are the model (give the file that is meant)", len(names))
	}
	return names, checkNumbers(dir, names)
}

var numbered = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.safetensors$`)

// checkNumbers names the files that are missing from sets `name-00001-of-00003.safetensors`.
func checkNumbers(dir string, names []string) error {
	for _, name := range names {
		m := numbered.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		count, _ := strconv.Atoi(m[3])
		var missing []string
		for i := 1; i <= count; i++ {
			member := fmt.Sprintf("%s-%05d-of-%s%s", m[1], i, m[3], fileSuffix)
			if _, found := slices.BinarySearch(names, member); !found {
				missing = append(missing, member)
			}
		}
		if len(missing) > 0 {
			return missingFiles(dir, missing, count)
		}
	}
	return nil
}

func missingFiles(where string, missing []string, of int) error {
	n, more := len(missing), ""
	if n > 5 {
		missing, more = missing[:5], fmt.Sprintf(" and %d more", n-5)
	}
	return fault.In(ErrNotFound, where, "%d of %d weight files are missing: %s%s (download them too)",
		n, of, printable(strings.Join(missing, ", ")), more)
}

// openNames maps files of one folder; those that are not there are named.
func openNames(dir string, names []string) (*File, error) {
	var missing []string
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(paths[i]); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, missingFiles(dir, missing, len(names))
	}
	return openParts(paths)
}

// openIndex opens all files that an index names.
func openIndex(path string) (*File, error) {
	places, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	dir, names := filepath.Dir(path), fileNames(places)
	if filepath.Base(path) == indexFile && !slices.Contains(names, wholeFile) {
		if _, err := os.Stat(filepath.Join(dir, wholeFile)); err == nil {
			return nil, fault.In(ErrUnsupported, path, "the folder also holds %s, which this index does not name (remove one of them, or give the file that is meant)", wholeFile)
		}
	}
	f, err := openNames(dir, names)
	if err != nil {
		return nil, err
	}
	if err := f.checkIndex(path, places); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// place is an entry of an index.
type place struct {
	tensor, file string
	at           int // byte in the index
}

// readIndex reads {"metadata": {...}, "weight_map": {"tensor": "file", ...}}.
func readIndex(path string) ([]place, error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, fault.OS(ErrNotFound, path, err)
	}
	defer m.Close()
	return parseIndex(path, m.Data)
}

func parseIndex(name string, data []byte) ([]place, error) {
	s := &scanner{file: name, data: data}
	var places []place
	found := false
	s.object(func(field string, at int) {
		switch {
		case field != "weight_map":
			s.skip(maxDepth)
		case found:
			s.fail(ErrCorrupt, at, "weight_map is there twice")
		default:
			found = true
			places = readPlaces(s)
		}
	})
	if s.peek(); s.pos < len(data) {
		s.fail(ErrCorrupt, s.pos, "the index goes on behind its JSON")
	}
	if len(places) == 0 {
		s.fail(ErrCorrupt, 0, "the index has no weight_map (not an index of safetensors files?)")
	}
	return places, s.err
}

func readPlaces(s *scanner) (places []place) {
	seen, files := map[string]int{}, map[string]bool{}
	s.object(func(tensor string, at int) {
		file := s.str()
		first, twice := seen[tensor]
		seen[tensor], files[file] = at, true
		switch {
		case s.err != nil:
		case twice:
			s.fail(ErrCorrupt, at, "tensor %s is there twice, first at byte %d", quote(tensor), first)
		case !filepath.IsLocal(filepath.FromSlash(file)) || strings.ContainsRune(file, 0):
			s.fail(ErrCorrupt, at, "tensor %s: file %s is not in the folder of the index", quote(tensor), quote(file))
		case len(places) == maxIndexTensors || len(files) > maxFiles:
			s.fail(ErrUnsupported, at, "more than %d tensors or %d files", maxIndexTensors, maxFiles)
		default:
			places = append(places, place{tensor, file, at})
		}
	})
	return places
}

// fileNames returns the files of an index, sorted.
func fileNames(places []place) []string {
	var names []string
	seen := map[string]bool{}
	for _, p := range places {
		if !seen[p.file] {
			seen[p.file] = true
			names = append(names, p.file)
		}
	}
	slices.Sort(names)
	return names
}

// checkIndex checks that every tensor of the index is there. It may be in another file than the index says: it is there
// once, or everywhere the same.
func (f *File) checkIndex(path string, places []place) error {
	for _, p := range places {
		if _, ok := f.Tensor(p.tensor); !ok {
			return fault.At(ErrNotFound, path, int64(p.at), "tensor %s should be in %s, but no file has it (incomplete model? download it again)",
				quote(p.tensor), printable(p.file))
		}
	}
	return nil
}
