package assert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/debug"
)

// Case is a line of a file of cases: an input, and what must hold of its answers.
type Case struct {
	Name   string
	Input  debug.Input
	Assert []string
	Seeds  []int64
	Need   int
}

// caseJSON is what a line has beside the input.
type caseJSON struct {
	Name   string `json:"name"`
	Assert texts  `json:"assert"`
	Seeds  string `json:"seeds"`
	Need   int    `json:"need"`
}

// texts is one text, or a list.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// ReadCases reads JSON objects, one after the other. Each begins as base is, and may say name, assert, seeds (as ParseSeeds reads
// them), need, and any field of debug.Input. Unknown fields are errors.
func ReadCases(r io.Reader, base Case) (cases []Case, err error) {
	dec := json.NewDecoder(r)
	for {
		var line json.RawMessage
		if err := dec.Decode(&line); errors.Is(err, io.EOF) {
			return cases, nil
		} else if err != nil {
			return nil, fmt.Errorf("case %d: %w", len(cases)+1, err)
		}
		c, err := readCase(line, base)
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", len(cases)+1, err)
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("case %d", len(cases)+1)
		}
		cases = append(cases, c)
	}
}

func readCase(line json.RawMessage, base Case) (Case, error) {
	c := base
	more := caseJSON{Need: base.Need}
	if err := json.Unmarshal(line, &more); err != nil {
		return c, err
	}
	rest, err := without(line, "name", "assert", "seeds", "need")
	if err != nil {
		return c, err
	}
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c.Input); err != nil {
		return c, err
	}
	c.Name, c.Need = more.Name, more.Need
	c.Assert = append(c.Assert[:len(c.Assert):len(c.Assert)], more.Assert...)
	if more.Seeds != "" {
		c.Seeds, err = ParseSeeds(more.Seeds)
	}
	return c, err
}

// without is an object without some of its fields.
func without(object json.RawMessage, names ...string) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	for _, name := range names {
		delete(fields, name)
	}
	return json.Marshal(fields)
}

// maxSeeds bounds the runs of one case.
const maxSeeds = 100_000

// ParseSeeds reads numbers and ranges, as in 7 or 1..20 or 1..5,9.
func ParseSeeds(text string) (seeds []int64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "..")
		lo, err := strconv.ParseUint(from, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is no seed: want numbers and ranges such as 1..20,31", part)
		}
		hi := lo
		if isRange {
			if hi, err = strconv.ParseUint(to, 10, 32); err != nil || hi < lo {
				return nil, fmt.Errorf("%q is no range of seeds: want one such as 1..20", part)
			}
		}
		if hi-lo >= maxSeeds || len(seeds)+int(hi-lo) >= maxSeeds {
			return nil, fmt.Errorf("%q are more than %d seeds", text, maxSeeds)
		}
		for seed := lo; seed <= hi; seed++ {
			seeds = append(seeds, int64(seed))
		}
	}
	return seeds, nil
}

// Test compiles the assertions of a case.
func (c *Case) Test() (*Test, error) {
	t := &Test{Name: c.Name, Need: c.Need}
	if len(c.Assert) == 0 {
		return nil, fmt.Errorf("%s: there is nothing to assert", c.Name)
	}
	for _, source := range c.Assert {
		a, err := Compile(source)
		if err != nil {
			return nil, err
		}
		t.Assertions = append(t.Assertions, a)
	}
	return t, nil
}
