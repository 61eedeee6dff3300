package gguf

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// appendFloat writes the shortest text that reads back as the same float32.
func appendFloat(b []byte, v float32) []byte { return strconv.AppendFloat(b, float64(v), 'g', -1, 32) }

func (d *dumper) writeCSV(ctx context.Context, w *bufio.Writer) error {
	var line []byte
	return d.each(ctx, func(_ int, values []float32) error {
		line = line[:0]
		for i, v := range values {
			if i > 0 {
				line = append(line, ',')
			}
			line = appendFloat(line, v)
		}
		_, err := w.Write(append(line, '\n'))
		return err
	})
}

// writeJSON writes {"tensor", "type", "shape", "from", "values": [[row], ...]}; what is not finite is null.
func (d *dumper) writeJSON(ctx context.Context, w *bufio.Writer) error {
	name, err := json.Marshal(d.t.Name)
	if err != nil {
		return err
	}
	shape, err := json.Marshal(d.t.Shape)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "{\"tensor\": %s, \"type\": %q, \"shape\": %s, \"from\": %d, \"values\": [", name, d.t.Type, shape, d.rows.from)
	var line []byte
	err = d.each(ctx, func(row int, values []float32) error {
		line = append(line[:0], ",\n["...)
		if row == d.rows.from {
			line = append(line[:0], "\n["...)
		}
		for i, v := range values {
			if i > 0 {
				line = append(line, ", "...)
			}
			if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
				line = append(line, "null"...)
			} else {
				line = appendFloat(line, v)
			}
		}
		_, err := w.Write(append(line, ']'))
		return err
	})
	if err != nil {
		return err
	}
	_, err = w.WriteString("\n]}\n")
	return err
}

// writeNPY writes version 1.0 of NumPy's format. Its dimensions go from the slowest to the fastest; chosen rows make two.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func (d *dumper) writeNPY(ctx context.Context, w *bufio.Writer) error {
	shape := slices.Clone(d.t.Shape)
	slices.Reverse(shape)
	if rows := d.rows.to - d.rows.from; d.t.Size > 0 && rows != d.t.Elements()/d.t.Dim(0) {
		shape = []int{rows, d.t.Dim(0)}
	}
	dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }", dims)
	const prefix = 6 + 2 + 2 // magic, version, length of the header
	head += strings.Repeat(" ", -(prefix+len(head)+1)&63) + "\n"
	w.WriteString("\x93NUMPY\x01\x00")
	if err := binary.Write(w, binary.LittleEndian, uint16(len(head))); err != nil {
		return err
	}
	w.WriteString(head)
	return d.each(ctx, func(_ int, values []float32) error { return binary.Write(w, binary.LittleEndian, values) })
}
