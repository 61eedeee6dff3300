package grammar

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// result is what became of a case.
type result struct {
	Case          string        `json:"case"`
	Tests         int           `json:"tests"`
	Passed        bool          `json:"passed"`
	FalseAccepts  int           `json:"false_accepts"`
	FalseRefusals int           `json:"false_refusals"`
	Refused       *schema.Error `json:"refused,omitempty"`
}

func (r *result) judge(accepted, valid bool) {
	switch {
	case accepted == valid:
		return
	case accepted:
		r.FalseAccepts++
	default:
		r.FalseRefusals++
	}
	r.Passed = false
}

// report is what became of all cases.
type report struct {
	Results  []result `json:"results"`
	compiles []time.Duration
	masks    []time.Duration
}

func (r *report) compiled(d time.Duration) { r.compiles = append(r.compiles, d) }

// times sums up durations, in microseconds.
type times struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p99.9"`
	Max   float64 `json:"max"`
}

func sumUp(list []time.Duration) times {
	if len(list) == 0 {
		return times{}
	}
	sorted := slices.Sorted(slices.Values(list))
	sum := time.Duration(0)
	for _, d := range sorted {
		sum += d
	}
	at := func(p float64) float64 { return micro(sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]) }
	return times{len(sorted), micro(sum) / float64(len(sorted)), at(0.5), at(0.9), at(0.99), at(0.999), at(1)}
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(map[string]any{"results": r.Results, "mask_us": sumUp(r.masks), "compile_us": sumUp(r.compiles)})
	}
	tested, passed, untested, compiled, accepts, refusals := 0, 0, 0, 0, 0, 0
	for _, x := range r.Results {
		if x.Tests > 0 {
			tested, passed = tested+1, passed+one(x.Passed)
		} else {
			untested, compiled = untested+1, compiled+one(x.Passed)
		}
		accepts, refusals = accepts+x.FalseAccepts, refusals+x.FalseRefusals
	}
	for _, x := range r.Results {
		switch {
		case x.Refused != nil:
			fmt.Fprintf(w, "%s: refused: %s\n", x.Case, strings.TrimPrefix(x.Refused.Error(), "schema: "))
		case !x.Passed:
			fmt.Fprintf(w, "%s: %d wrong data accepted, %d valid refused\n", x.Case, x.FalseAccepts, x.FalseRefusals)
		}
	}
	fmt.Fprintf(w, "\nwith tests     %4d of %4d pass     %5.1f%%\nwithout tests  %4d of %4d compile  %5.1f%%\n", passed, tested, percent(passed, tested), compiled, untested, percent(compiled, untested))
	fmt.Fprintf(w, "wrong data accepted: %d, valid data refused: %d\n\n", accepts, refusals)
	return r.printTimes(w)
}

func (r *report) printTimes(w io.Writer) error {
	var rows [][]string
	for _, x := range []struct {
		name string
		times
	}{{"mask", sumUp(r.masks)}, {"compile", sumUp(r.compiles)}} {
		row := []string{x.name, fmt.Sprint(x.Count)}
		for _, v := range []float64{x.Mean, x.P50, x.P90, x.P99, x.P999, x.Max} {
			row = append(row, fmt.Sprintf("%.1f", v))
		}
		rows = append(rows, row)
	}
	columns := []table.Column{table.Left("us"), table.Right("count"), table.Right("mean"), table.Right("50%"), table.Right("90%"),
		table.Right("99%"), table.Right("99.9%"), table.Right("max")}
	if err := table.Write(w, false, columns, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return histogram(w, r.masks)
}

// histogram prints how many masks took up to 1, 2, 4, ... microseconds.
func histogram(w io.Writer, list []time.Duration) error {
	var counts []int
	for _, d := range list {
		bucket := 0
		for limit := time.Microsecond; d > limit; limit *= 2 {
			bucket++
		}
		for len(counts) <= bucket {
			counts = append(counts, 0)
		}
		counts[bucket]++
	}
	var rows [][]string
	below := 0
	for i, n := range counts {
		below += n
		rows = append(rows, []string{fmt.Sprint(1 << i), fmt.Sprint(n), fmt.Sprintf("%.2f%%", percent(below, len(list))),
			strings.Repeat("#", 60*n/max(slices.Max(counts), 1))})
	}
	return table.Write(w, false, []table.Column{table.Right("up to us"), table.Right("masks"), table.Right("in all"), table.Left("")}, rows)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
