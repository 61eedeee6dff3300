package hf

import (
	"fmt"
	"slices"
)

// view is how a rule sees a tensor of the checkpoint: matrices of rows of width values, and which of them make the result.
type view struct {
	matrices, rows, width int  // as they are read
	turned                bool // the checkpoint has rows and width exchanged
	pickRows, pickColumns []int
	vector                bool
}

// see gives the view that a rule has of a tensor. Dimensions of one between others, as those of convolutions, do not count.
func see(c *Config, r *rule, shape []int, suffix string) (view, error) {
	switch {
	case len(shape) == 3 && shape[1] == 1:
		shape = []int{shape[0], shape[2]}
	case len(shape) == 4 && shape[0]*shape[1]*shape[3] == 1: // a number a head
		shape = shape[2:3]
	}
	v := view{matrices: 1, rows: 1, width: 1, turned: r.turned}
	switch {
	case len(shape) == 1 || len(shape) == 2 && shape[0] == 1 && suffix == ".bias":
		v.rows, v.vector = shape[len(shape)-1], true
	case len(shape) == 2 && suffix == ".bias": // of experts
		v.matrices, v.rows = shape[0], shape[1]
	case len(shape) == 2:
		v.rows, v.width = shape[0], shape[1]
	case len(shape) == 3:
		v.matrices, v.rows, v.width = shape[0], shape[1], shape[2]
	default:
		return v, fmt.Errorf("it has shape %v, want 1 to 3 dimensions", shape)
	}
	if r.cut != nil {
		n := r.cut(c)
		if n < 1 || v.matrices*v.rows%n != 0 {
			return v, fmt.Errorf("%d rows cannot be cut into %d matrices", v.matrices*v.rows, n)
		}
		v.matrices, v.rows = n, v.matrices*v.rows/n
	}
	if v.turned && !v.vector && v.width > 1 {
		v.rows, v.width = v.width, v.rows
	} else {
		v.turned = false
	}
	return v, v.choose(c, r)
}

func (v *view) choose(c *Config, r *rule) (err error) {
	if r.rows != nil {
		if v.pickRows, err = r.rows(c, v.rows); err != nil {
			return err
		}
	}
	if r.columns != nil && !v.vector {
		v.pickColumns, err = r.columns(c, v.width)
	}
	return err
}

// picked is the number of rows of a matrix that make the result.
func (v *view) picked() int {
	if v.pickRows != nil {
		return len(v.pickRows)
	}
	return v.rows
}

func (v *view) row(i int) int {
	if v.pickRows != nil {
		return v.pickRows[i]
	}
	return i
}

// shape is that of the result, in GGUF's order.
func (v *view) shape(c *Config, r *rule) []int {
	var out []int
	switch {
	case v.vector && r.cut == nil:
		out = []int{v.picked()}
	case v.width == 1 && v.matrices > 1: // biases of experts
		out = []int{v.picked(), v.matrices}
	case r.flip:
		out = []int{v.picked(), v.width}
	default:
		out = []int{v.width, v.picked()}
	}
	if v.matrices > 1 && v.width > 1 || r.cut != nil && v.matrices == 1 && !v.vector {
		out = append(out, v.matrices)
	}
	if r.shape != nil {
		out = r.shape(c, slices.Clone(out))
	}
	return out
}
