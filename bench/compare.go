package bench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is the results that one run of llama-bench left, by any program that has its JSON.
type File struct {
	Name    string
	records []record
}

// Read reads a file of JSON or JSON lines.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

func parse(name string, data []byte) (*File, error) {
	records, err := decode(name, data)
	if err != nil {
		return nil, err
	}
	for i := range records {
		if err := records[i].check(); err != nil {
			return nil, fmt.Errorf("%s: result %d: %w", name, i+1, err)
		}
	}
	return &File{name, records}, nil
}

// check finds what cannot be compared.
func (r *record) check() error {
	if len(r.Speeds) == 0 {
		return fmt.Errorf("no samples_ts")
	}
	for _, s := range r.Speeds {
		if !(s >= 1e-12 && s <= 1e12) { // what can be measured, and multiplied
			return fmt.Errorf("a sample of %g tokens per second", s)
		}
	}
	return nil
}

// Comparison is one test in two files.
type Comparison struct {
	Test     string  `json:"test"`
	Old      float64 `json:"old"` // median tokens per second
	New      float64 `json:"new"`
	OldCount int     `json:"old_samples"`
	NewCount int     `json:"new_samples"`
	Ratio            // new to old
	Verdict  Verdict `json:"verdict"`
}

// Verdict says what a comparison shows.
type Verdict string

// The verdicts.
const (
	Faster     Verdict = "faster"
	Slower     Verdict = "slower"
	NoneSeen   Verdict = "no difference seen"
	TooFew     Verdict = "too few samples"
	minSamples         = 4 // of both: with three the U test cannot tell anything
)

// Pair is a file compared with the first one.
type Pair struct {
	Old     string       `json:"old_file"`
	New     string       `json:"new_file"`
	Rows    []Comparison `json:"rows"`
	Mean    float64      `json:"geometric_mean"` // of the ratios; 0 where there are no rows
	OnlyOld []string     `json:"only_old,omitempty"`
	OnlyNew []string     `json:"only_new,omitempty"`
	Changed []string     `json:"changed,omitempty"` // columns that differ between the files as a whole: "n_threads: 1, 2"
}

// keys are the columns that tell tests apart. model_filename counts by its last element.
var keys = []string{"model_filename", "n_batch", "n_ubatch", "n_threads", "type_k", "type_v", "flash_attn", "n_prompt", "n_gen", "n_depth"}

// always are the keys that tell tests apart also when each file has one value only.
var always = []string{"n_prompt", "n_gen", "n_depth"}

// machine are the columns that tell what files were measured with.
var machine = []string{"cpu_info", "gpu_info", "backends"}

// Compare sets the tests of two files side by side. Two results belong together when they agree in all keys, but for those that
// have one value in each file: a change of the file's name, or of the number of threads, is what is compared then.
func Compare(old, new *File) *Pair {
	p := &Pair{Old: old.Name, New: new.Name}
	var by []string
	for _, key := range slices.Concat(machine, keys) {
		a, b := old.values(key), new.values(key)
		switch {
		case slices.Contains(machine, key) && !slices.Equal(a, b):
			p.Changed = append(p.Changed, fmt.Sprintf("%s: %s, %s", key, strings.Join(a, " and "), strings.Join(b, " and ")))
		case slices.Contains(machine, key):
		case len(a) > 1 || len(b) > 1 || slices.Contains(always, key):
			by = append(by, key)
		case len(a) == 1 && len(b) == 1 && a[0] != b[0]:
			p.Changed = append(p.Changed, fmt.Sprintf("%s: %s, %s", key, a[0], b[0]))
		}
	}
	olds, oldOrder := old.group(by)
	news, newOrder := new.group(by)
	var ratios []float64
	for _, key := range oldOrder {
		if _, ok := news[key]; !ok {
			p.OnlyOld = append(p.OnlyOld, olds[key].name)
			continue
		}
		c := compare(olds[key], news[key])
		p.Rows = append(p.Rows, c)
		ratios = append(ratios, c.Center)
	}
	for _, key := range newOrder {
		if _, ok := olds[key]; !ok {
			p.OnlyNew = append(p.OnlyNew, news[key].name)
		}
	}
	if len(ratios) > 0 {
		p.Mean = GeometricMean(ratios)
	}
	return p
}

// values are the different values of a key, in order of appearance.
func (f *File) values(key string) (list []string) {
	for i := range f.records {
		if v := f.records[i].key(key); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func (r *record) key(name string) string {
	v, ok := r.fields[name]
	if !ok {
		return ""
	}
	if s, isText := v.(string); isText && name == "model_filename" {
		return filepath.Base(filepath.ToSlash(s))
	}
	return fmt.Sprint(v)
}

// series are the samples of one test; those of several results of it are put together.
type series struct {
	name   string
	speeds []float64
}

func (f *File) group(by []string) (map[string]*series, []string) {
	groups, order := map[string]*series{}, []string(nil)
	for i := range f.records {
		r := &f.records[i]
		parts := make([]string, len(by))
		for j, key := range by {
			parts[j] = r.key(key)
		}
		key := strings.Join(parts, "\x00")
		if groups[key] == nil {
			groups[key] = &series{name: r.name(by)}
			order = append(order, key)
		}
		groups[key].speeds = append(groups[key].speeds, r.Speeds...)
	}
	return groups, order
}

// name is the test, with the columns that tell it from others.
func (r *record) name(by []string) string {
	p := Params{Prompt: r.Prompt, Gen: r.Gen, Depth: r.Depth}
	parts := []string{p.Test()}
	for _, key := range by {
		if v := r.key(key); v != "" && !slices.Contains(always, key) {
			parts = append(parts, key+"="+v)
		}
	}
	return strings.Join(parts, " ")
}

func compare(old, new *series) Comparison {
	c := Comparison{Test: old.name, Old: Median(old.speeds), New: Median(new.speeds), OldCount: len(old.speeds), NewCount: len(new.speeds),
		Ratio: Independent(old.speeds, new.speeds), Verdict: NoneSeen}
	switch {
	case c.Seen() && c.Center > 1:
		c.Verdict = Faster
	case c.Seen():
		c.Verdict = Slower
	case min(c.OldCount, c.NewCount) < minSamples:
		c.Verdict = TooFew
	}
	return c
}

// SlowerThan lists the tests that are slower by more than a fraction, as far as one can tell, the worst first.
func (p *Pair) SlowerThan(fraction float64) (list []Comparison) {
	for _, c := range p.Rows {
		if c.Verdict == Slower && c.Center < 1-fraction {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Comparison) int { return cmp.Compare(a.Center, b.Center) })
	return list
}
