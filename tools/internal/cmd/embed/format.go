package embed

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine"
)

// formatter writes vectors, one after another.
type formatter interface {
	vector(text string, v []float32) error
	end() error
}

// formatter is the one of the format that was asked for.
func (o *options) formatter(w io.Writer, m *engine.Model, inputs []input) formatter {
	rows, each := len(inputs), m.Pooling() == engine.PoolingNone
	if each {
		rows = 0
		for _, in := range inputs {
			rows += len(in.tokens)
		}
	}
	switch o.format {
	case "raw":
		return &lines{w: w, between: "\n", after: "\n", space: " "}
	case "array":
		return &lines{w: w, before: "[", open: "[", shut: "]", between: ",", after: "]\n", space: ","}
	case "json", "json+":
		return &object{w: w, cosines: cosines{wanted: o.format == "json+"}}
	case "csv":
		return &sheet{w: csv.NewWriter(w), labels: m.Classes()}
	case "npy":
		return &npy{w: w, rows: rows}
	}
	return &text{w: w, labels: m.Classes(), cosines: cosines{wanted: !each && m.Pooling() != engine.PoolingRank}}
}

// number is the shortest text that is x again as a float32.
func number(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

func numbers(v []float32, space string) string {
	var b strings.Builder
	for i, x := range v {
		if i > 0 {
			b.WriteString(space)
		}
		b.WriteString(number(x))
	}
	return b.String()
}

// lines are vectors of numbers with something around and between.
type lines struct {
	w                                         io.Writer
	before, open, shut, between, after, space string
	n                                         int
}

func (l *lines) vector(_ string, v []float32) error {
	lead := l.between
	if l.n == 0 {
		lead = l.before
	}
	l.n++
	_, err := io.WriteString(l.w, lead+l.open+numbers(v, l.space)+l.shut)
	return err
}

func (l *lines) end() error {
	_, err := io.WriteString(l.w, l.after)
	return err
}

// object is what OpenAI's interface answers, and the cosines.
type object struct {
	w io.Writer
	n int
	cosines
}

func (o *object) vector(_ string, v []float32) error {
	lead := ",\n"
	if o.n == 0 {
		lead = "{\n  \"object\": \"list\",\n  \"data\": [\n"
	}
	o.cosines.add("", v)
	_, err := fmt.Fprintf(o.w, "%s    {\"object\": \"embedding\", \"index\": %d, \"embedding\": [%s]}", lead, o.n, numbers(v, ", "))
	o.n++
	return err
}

func (o *object) end() error {
	tail := "\n  ]\n}\n"
	if o.wanted {
		var rows []string
		for i := range o.vectors {
			rows = append(rows, "    ["+numbers(o.row(i), ", ")+"]")
		}
		tail = "\n  ],\n  \"cosineSimilarity\": [\n" + strings.Join(rows, ",\n") + "\n  ]\n}\n"
	}
	_, err := io.WriteString(o.w, tail)
	return err
}

// sheet is CSV: the text, and a column for each value.
type sheet struct {
	w      *csv.Writer
	labels []string // of the columns; nil: numbers
	begun  bool
}

func (t *sheet) vector(text string, v []float32) error {
	if !t.begun {
		t.begun = true
		head := append([]string{"text"}, t.labels...)
		for i := len(t.labels); i < len(v); i++ {
			head = append(head, strconv.Itoa(i))
		}
		if err := t.w.Write(head); err != nil {
			return err
		}
	}
	row := []string{text}
	for _, x := range v {
		row = append(row, number(x))
	}
	return t.w.Write(row)
}

func (t *sheet) end() error {
	t.w.Flush()
	return t.w.Error()
}
