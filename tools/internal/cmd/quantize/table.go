package quantize

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// report is what --dry-run and --error show.
type report struct {
	File     string   `json:"file"`
	Type     string   `json:"type"`
	Tensors  []line   `json:"tensors"`
	ByType   []total  `json:"by_type"`
	ByRole   []total  `json:"by_role"`
	Before   int64    `json:"bytes_from"`
	After    int64    `json:"bytes_to"`
	Elements int64    `json:"elements"`
	BPW      float64  `json:"bpw"`
	Context  int      `json:"context,omitempty"`
	Weights  int64    `json:"weights_bytes,omitempty"`
	KV       int64    `json:"kv_bytes,omitempty"`
	Compute  int64    `json:"compute_bytes,omitempty"`
	Memory   int64    `json:"memory_bytes,omitempty"`
	Fallback int      `json:"fallbacks"`
	Imatrix  bool     `json:"needs_imatrix"`
	Notes    []string `json:"notes,omitempty"`

	measured bool
}

// line is one tensor.
type line struct {
	Name   string   `json:"tensor"`
	Shape  []int    `json:"shape"`
	From   string   `json:"from"`
	To     string   `json:"to"`
	Before int64    `json:"bytes_from"`
	After  int64    `json:"bytes_to"`
	BPW    float64  `json:"bpw"`
	Role   string   `json:"role"`
	Wanted string   `json:"wanted,omitempty"`
	Why    string   `json:"why,omitempty"`
	Error  *float64 `json:"error,omitempty"`          // relative RMS error
	WError *float64 `json:"error_weighted,omitempty"` // weighted by importance
}

// total is the sum over tensors of one kind.
type total struct {
	Name    string  `json:"name"`
	Tensors int     `json:"tensors"`
	Before  int64   `json:"bytes_from"`
	After   int64   `json:"bytes_to"`
	BPW     float64 `json:"bpw"`

	elements int64
}

// newReport describes the plan.
func newReport(p *plan, path string) *report {
	r := &report{File: path, Type: p.settings.file.Name, Notes: p.notes}
	for i := range p.tensors {
		t := &p.tensors[i]
		n, after := int64(t.in.Elements()), t.size()
		l := line{Name: t.name, Shape: t.shape(), From: t.from().String(), To: t.to.String(), Before: t.in.Size, After: after,
			BPW: bits(after, n), Role: group(t.name, dimensions(t.shape())), Why: t.why}
		if t.wanted != t.to {
			l.Wanted = t.wanted.String()
			r.Fallback++
		}
		r.Imatrix = r.Imatrix || t.lacking
		r.Tensors = append(r.Tensors, l)
		r.ByType = addTo(r.ByType, l.To, l, n)
		r.ByRole = addTo(r.ByRole, l.Role, l, n)
	}
	r.Before, r.After, r.Elements = p.totals()
	r.BPW = bits(r.After, r.Elements)
	return r
}

func bits(bytes, elements int64) float64 {
	if elements == 0 {
		return 0
	}
	return float64(bytes) * 8 / float64(elements)
}

// addTo counts a tensor under a name.
func addTo(totals []total, name string, l line, elements int64) []total {
	i := slices.IndexFunc(totals, func(t total) bool { return t.Name == name })
	if i < 0 {
		i, totals = len(totals), append(totals, total{Name: name})
	}
	t := &totals[i]
	t.Tensors, t.Before, t.After, t.elements = t.Tensors+1, t.Before+l.Before, t.After+l.After, t.elements+elements
	t.BPW = bits(t.After, t.elements)
	return totals
}

func (r *report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"tensor", "shape", "from", "to", "bytes_from", "bytes_to", "bpw", "role", "wanted", "why", "error", "error_weighted"})
	for _, l := range r.Tensors {
		_ = c.Write([]string{gguf.Printable(l.Name), table.Shape(l.Shape), l.From, l.To, strconv.FormatInt(l.Before, 10),
			strconv.FormatInt(l.After, 10), fmt.Sprintf("%.4f", l.BPW), l.Role, l.Wanted, l.Why, errorText(l.Error), errorText(l.WError)})
	}
	c.Flush()
	return c.Error()
}

func (r *report) writeText(w io.Writer, md bool) error {
	head := []table.Column{table.Left("tensor"), table.Left("shape"), table.Left("from"), table.Left("to"),
		table.Right("MiB from"), table.Right("MiB to"), table.Right("bpw"), table.Left("note")}
	if r.measured {
		head = append(head, table.Right("error"), table.Right("weighted"))
	}
	var rows [][]string
	for _, l := range r.Tensors {
		row := []string{gguf.Printable(l.Name), table.Shape(l.Shape), l.From, l.To, mebibytes(l.Before), mebibytes(l.After), fmt.Sprintf("%.2f", l.BPW), l.note()}
		if r.measured {
			row = append(row, errorText(l.Error), errorText(l.WError))
		}
		rows = append(rows, row)
	}
	if err := table.Write(w, md, head, rows); err != nil {
		return err
	}
	for _, part := range []struct {
		name   string
		totals []total
	}{{"type", r.ByType}, {"role", r.ByRole}} {
		fmt.Fprintln(w)
		columns := []table.Column{table.Left(part.name), table.Right("tensors"), table.Right("MiB from"), table.Right("MiB to"), table.Right("bpw")}
		if err := table.Write(w, md, columns, totalRows(part.totals)); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return r.summary(w)
}

func (l *line) note() string {
	if l.Wanted != "" {
		return "wanted " + l.Wanted + ": " + l.Why
	}
	return l.Why
}

func totalRows(totals []total) (rows [][]string) {
	for _, t := range totals {
		rows = append(rows, []string{t.Name, strconv.Itoa(t.Tensors), mebibytes(t.Before), mebibytes(t.After), fmt.Sprintf("%.2f", t.BPW)})
	}
	return rows
}

// summary ends the text with what most people look for.
func (r *report) summary(w io.Writer) error {
	fmt.Fprintf(w, "%s: %.2f MiB (%.2f BPW) -> %s: %.2f MiB (%.2f BPW)\n", gguf.Printable(r.File), mib(r.Before), bits(r.Before, r.Elements), r.Type, mib(r.After), r.BPW)
	if r.Context > 0 {
		fmt.Fprintf(w, "with a context of %d: %.2f MiB of weights + %.2f MiB of keys and values (f16) + %.2f MiB to compute = %.2f MiB\n", r.Context, mib(r.Weights), mib(r.KV), mib(r.Compute), mib(r.Memory))
	}
	if r.Fallback > 0 {
		fmt.Fprintf(w, "%d of %d tensors have a shape that the wanted type does not fit (--strict refuses that)\n", r.Fallback, len(r.Tensors))
	}
	if r.Imatrix {
		fmt.Fprintln(w, "this quantization requires an importance matrix! (--imatrix)")
	}
	return nil
}

func errorText(e *float64) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%.6f", *e)
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

func mebibytes(n int64) string { return fmt.Sprintf("%.3f", mib(n)) }
