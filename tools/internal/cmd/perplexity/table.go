package perplexity

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/score"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// comparedRow is what --compare says of one model.
type comparedRow struct {
	Model      string          `json:"model"`
	Bytes      int64           `json:"bytes"`
	BPW        float64         `json:"bpw"`
	PPL        score.Estimate  `json:"ppl"`
	Difference *score.Estimate `json:"ppl_difference,omitempty"` // these four not of the first
	KLD        *score.Estimate `json:"kld,omitempty"`
	KLD99      *float64        `json:"kld_99,omitempty"`
	SameTop    *score.Estimate `json:"same_top,omitempty"`
	PerSec     float64         `json:"tokens_per_second"`
}

// report prints the table, of as many chunks as all models have done.
func (c *comparison) report() error {
	if c.done == 0 {
		return nil
	}
	rows := make([]comparedRow, len(c.models))
	for i, m := range c.models {
		rows[i] = m.row(c.done * c.windows.context)
	}
	switch {
	case c.json:
		return asjson.Write(c.stdout, struct {
			Text    string        `json:"text"`
			Context int           `json:"context"`
			Chunks  int           `json:"chunks"`
			Done    int           `json:"chunks_done"`
			Scored  int           `json:"tokens_scored"`
			Models  []comparedRow `json:"models"`
		}{c.text, c.windows.context, c.windows.count, c.done, c.models[0].nll.N, rows})
	case c.csv:
		return comparedCSV(c.stdout, rows)
	}
	cells := make([][]string, len(rows))
	for i := range rows {
		cells[i] = rows[i].cells()
	}
	if err := table.Write(c.stdout, c.md, comparedHead, cells); err != nil {
		return err
	}
	of := ""
	if c.done < c.windows.count {
		of = fmt.Sprintf(" of %d", c.windows.count)
	}
	_, err := fmt.Fprintf(c.stdout, "\n%s: %d%s chunks of %d tokens; KLD and same top are against %s\n", gguf.Printable(c.text), c.done, of, c.windows.context,
		gguf.Printable(filepath.Base(c.models[0].path)))
	return err
}

// row sums a model up, which has read n tokens.
func (m *compared) row(n int) comparedRow {
	i := m.model.Info()
	r := comparedRow{Model: m.path, Bytes: i.Bytes, BPW: 8 * float64(i.Bytes) / float64(max(1, i.Parameters)), PPL: m.nll.Perplexity(),
		PerSec: float64(n) / m.took.Seconds()}
	if p := &m.points; p.N() > 0 {
		difference, kld, kld99, top := p.Difference(), p.KLD(), p.KLDQuantile(0.99), p.SameTop()
		r.Difference, r.KLD, r.KLD99, r.SameTop = &difference, &kld, &kld99, &top
	}
	return r
}

func comparedCSV(w io.Writer, rows []comparedRow) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"model", "bytes", "bpw", "ppl", "ppl_error", "ppl_difference", "ppl_difference_error", "kld", "kld_error", "kld_99", "same_top", "same_top_error", "tokens_per_second"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	for _, r := range rows {
		line := []string{gguf.Printable(r.Model), strconv.FormatInt(r.Bytes, 10), number(r.BPW), number(r.PPL.Value), number(r.PPL.Error), "", "", "", "", "", "", "", number(r.PerSec)}
		if r.KLD != nil {
			for i, x := range []float64{r.Difference.Value, r.Difference.Error, r.KLD.Value, r.KLD.Error, *r.KLD99, r.SameTop.Value, r.SameTop.Error} {
				line[5+i] = number(x)
			}
		}
		_ = c.Write(line)
	}
	c.Flush()
	return c.Error()
}

var comparedHead = []table.Column{table.Left("model"), table.Right("MiB"), table.Right("bpw"), table.Right("PPL"), table.Right("±"), table.Right("PPL diff"),
	table.Right("±"), table.Right("KLD"), table.Right("KLD 99%"), table.Right("same top %"), table.Right("t/s")}

func (r *comparedRow) cells() []string {
	cells := []string{gguf.Printable(filepath.Base(r.Model)), fmt.Sprintf("%.2f", float64(r.Bytes)/(1<<20)), fmt.Sprintf("%.2f", r.BPW),
		fmt.Sprintf("%.4f", r.PPL.Value), fmt.Sprintf("%.4f", r.PPL.Error), "", "", "", "", "", fmt.Sprintf("%.0f", r.PerSec)}
	if r.KLD != nil {
		copy(cells[5:], []string{fmt.Sprintf("%+.4f", r.Difference.Value), fmt.Sprintf("%.4f", r.Difference.Error), fmt.Sprintf("%.5f", r.KLD.Value),
			fmt.Sprintf("%.4f", *r.KLD99), fmt.Sprintf("%.2f", 100*r.SameTop.Value)})
	}
	return cells
}
