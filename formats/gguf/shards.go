package gguf

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// A set of shards is what gguf-split makes: shard i of n is `name-0000i-of-0000n.gguf` and has the keys split.no (from
// 0), split.count and split.tensors.count, the tensors of the whole set. The first shard has the model's other keys too.
// A count of 0 or 1 means that the file is whole.

// split is what a file says about its place in a set.
type split struct {
	no, count int
	tensors   int // of the whole set; -1 when the file does not say
}

func (s *shard) split() (split, error) {
	r := s.md.Reader("split")
	p := split{no: r.IntOr("no", 0), count: r.IntOr("count", 0), tensors: r.IntOr("tensors.count", -1)}
	if err := r.Err(); err != nil {
		return p, err
	}
	if p.count < 0 || p.count > 99999 || p.no < 0 || p.count > 1 && p.no >= p.count {
		return p, fault.In(ErrCorrupt, s.name, "keys split.no %d and split.count %d make no sense", p.no, p.count)
	}
	return p, nil
}

// opener opens one shard; present says which of several files are missing before any is opened.
type opener struct {
	open    func(path string) (*shard, error)
	present func(path string, paths []string) error
}

// openSet opens the set that s, which was read from path, is a part of. It closes s too when it fails.
func (o opener) openSet(path string, s *shard, part split) ([]*shard, error) {
	shards := make([]*shard, part.count)
	shards[part.no] = s
	err := o.fillSet(shards, path, part)
	if err == nil {
		return shards, nil
	}
	for _, s := range shards {
		if s != nil {
			s.close()
		}
	}
	return nil, err
}

func (o opener) fillSet(shards []*shard, path string, part split) error {
	paths, err := memberPaths(path, part)
	if err != nil {
		return err
	}
	if err := o.present(path, paths); err != nil {
		return err
	}
	tensors := 0
	for i := range shards {
		if shards[i] == nil {
			if shards[i], err = o.openMember(paths[i], i, part); err != nil {
				return err
			}
		}
		tensors += len(shards[i].tensors)
	}
	if part.tensors >= 0 && tensors != part.tensors {
		return fault.In(ErrCorrupt, path, "key split.tensors.count says %d tensors, the %d shards have %d (shards of different models?)",
			part.tensors, part.count, tensors)
	}
	return nil
}

// openMember opens shard i of the set that part belongs to.
func (o opener) openMember(path string, i int, part split) (*shard, error) {
	s, err := o.open(path)
	if err != nil {
		return nil, err
	}
	p, err := s.split()
	switch {
	case err != nil:
	case p.no != i || p.count != part.count:
		err = fault.In(ErrCorrupt, path, "should be shard %d of %d by its name, but says that it is %d of %d (shards of different models?)",
			i+1, part.count, p.no+1, p.count)
	case p.tensors >= 0 && part.tensors >= 0 && p.tensors != part.tensors:
		err = fault.In(ErrCorrupt, path, "belongs to a model of %d tensors by its key split.tensors.count, the other shards to one of %d (shards of different models?)",
			p.tensors, part.tensors)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

var memberName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// memberPaths returns the paths of all shards, derived from that of one.
func memberPaths(path string, part split) ([]string, error) {
	dir, base := filepath.Split(path)
	m := memberName.FindStringSubmatch(base)
	suffix := memberSuffix(part.no, part.count)
	if m == nil {
		return nil, fault.In(ErrNotFound, path, "is shard %d of %d, but its name does not end in %s, so the others cannot be found (give all of them their names back)",
			part.no+1, part.count, suffix)
	}
	if !strings.HasSuffix(base, suffix) {
		return nil, fault.In(ErrCorrupt, path, "is shard %d of %d by its keys, so its name should end in %s (give it its name back)",
			part.no+1, part.count, suffix)
	}
	paths := make([]string, part.count)
	for i := range paths {
		paths[i] = ShardPath(dir+m[1], i, part.count)
	}
	return paths, nil
}

// ShardPath is the path that gguf-split gives shard no (from 0) of count: the prefix with the numbers behind it.
func ShardPath(prefix string, no, count int) string { return prefix + memberSuffix(no, count) }

func memberSuffix(no, count int) string { return fmt.Sprintf("-%05d-of-%05d.gguf", no+1, count) }

// checkPresent names the files that are missing, the first few of them.
func checkPresent(path string, paths []string) error {
	var missing []string
	for _, p := range paths {
		if _, err := os.Stat(p); err != nil {
			missing = append(missing, Printable(filepath.Base(p)))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	n, more := len(missing), ""
	if n > 5 {
		missing, more = missing[:5], fmt.Sprintf(" and %d more", n-5)
	}
	return fault.In(ErrNotFound, path, "%d of %d shards are missing in its folder: %s%s (download them too)",
		n, len(paths), strings.Join(missing, ", "), more)
}

// checkJoined refuses another GGUF file behind the data, whose last tensor ends at end.
func (s *shard) checkJoined(c *cursor, end int) {
	for _, at := range []int{end, alignUp(end, s.alignment)} {
		if at > len(c.data)-4 || string(c.data[at:at+4]) != "GGUF" {
			continue
		}
		if part, err := s.split(); err == nil && part.count > 1 {
			c.fail(ErrCorrupt, at, "another GGUF file begins here: this is shard %d of %d with others joined to it, as cat does (open the shards as they are, or merge them with llama-gguf-split --merge)",
				part.no+1, part.count)
			return
		}
		c.fail(ErrCorrupt, at, "another GGUF file begins here (two files joined with cat? take them apart)")
		return
	}
}
