package hf

import "fmt"

// awq are the ways in which AWQ packs its numbers of four bits (Lin et al., AWQ). Others are made for one kernel and refused by name.
func (p *packs) awq() ([]packer, error) {
	version := p.config.Str("version")
	if bits := p.config.IntOr(4, "bits", "w_bit"); bits != 4 {
		return nil, fmt.Errorf("%s: %w AWQ of %d bits", p.config.path, ErrUnsupported, bits)
	}
	switch version {
	case "", "gemm", "GEMM":
		return []packer{{".qweight", packAWQ}}, nil
	case "gemv", "GEMV":
		return []packer{{".qweight", packAWQRows}}, nil
	}
	return nil, fmt.Errorf("%s: %w AWQ packing %q; known: gemm, gemv", p.config.path, ErrUnsupported, version)
}

// awqPlaces is where in a word the numbers of eight outputs are: even ones in the low half, odd ones in the high half.
var awqPlaces = [8]int{0, 4, 1, 5, 2, 6, 3, 7}

// awq is a matrix that is packed so: words, zero points and scales of an output and an input, and how many of them there are.
type awq struct {
	words, zeros     []byte
	scales           *tensor
	in, out, size    int                    // size: inputs of a group
	word, zero, unit func(row, col int) int // places of the number, of its zero point, and of its scale
}

// packAWQ has words along the outputs, a row an input; zero points and scales have a row a group of inputs.
func packAWQ(p *packs, base string) (*tensor, error) {
	x, err := p.awqParts(base)
	if err != nil {
		return nil, err
	}
	a := &awq{words: x[0].data, zeros: x[1].data, scales: x[2], in: x[0].Shape[0], out: x[0].Shape[1] * 8}
	groups := x[2].Shape[0]
	a.size = ceil(a.in, max(1, groups))
	if x[2].Shape[1] != a.out || len(a.zeros) != groups*a.out/2 || ceil(a.in, a.size) != groups {
		return nil, fmt.Errorf("the sizes of its parts do not fit one another")
	}
	place := func(line, row int) int { return line*a.out + row/8*8 + awqPlaces[row%8] }
	a.word = func(row, col int) int { return place(col, row) }
	a.zero = func(row, col int) int { return place(col/a.size, row) }
	a.unit = func(row, col int) int { return col/a.size*a.out + row }
	return a.tensor(base), nil
}

// packAWQRows has words along the inputs, a row an output, in order; rows of zero points and scales are padded.
func packAWQRows(p *packs, base string) (*tensor, error) {
	x, err := p.awqParts(base)
	if err != nil {
		return nil, err
	}
	a := &awq{words: x[0].data, zeros: x[1].data, scales: x[2], in: x[0].Shape[1] * 8, out: x[0].Shape[0], size: p.config.Int("group_size", "q_group_size")}
	if a.size < 1 {
		a.size = a.in
	}
	wide := x[2].Shape[1]
	if x[2].Shape[0] != a.out || wide < ceil(a.in, a.size) || wide%8 != 0 || len(a.zeros) != a.out*wide/2 {
		return nil, fmt.Errorf("the sizes of its parts do not fit one another")
	}
	a.word = func(row, col int) int { return row*a.in + col }
	a.zero = func(row, col int) int { return row*wide + col/a.size }
	a.unit = a.zero
	return a.tensor(base), nil
}

// awqParts are three matrices.
func (p *packs) awqParts(base string) ([]*tensor, error) {
	x, err := p.need(base+".qweight", base+".qzeros", base+".scales")
	if err != nil {
		return nil, err
	}
	for _, t := range x {
		if len(t.Shape) != 2 || elements(t.Shape) == 0 || t != x[2] && len(t.data) != elements(t.Shape)*4 {
			return nil, fmt.Errorf("%q has shape %v and type %s, want a matrix of words or scales", t.Name, t.Shape, t.DType)
		}
	}
	return x, nil
}

func (a *awq) tensor(base string) *tensor {
	return &tensor{Name: base + ".weight", Shape: []int{a.out, a.in}, decode: a.decode}
}

func (a *awq) decode(dst []float32, from int) error {
	scale := make([]float32, 1)
	for i := range dst {
		row, col := (from+i)/a.in, (from+i)%a.in
		if i == 0 || col%a.size == 0 {
			if err := a.scales.decode(scale, a.unit(row, col)); err != nil {
				return err
			}
		}
		dst[i] = scale[0] * float32(nibble(a.words, a.word(row, col))-nibble(a.zeros, a.zero(row, col)))
	}
	return nil
}

// nibble is the i-th number of four bits.
func nibble(data []byte, i int) int { return int(data[i/2]>>(i%2*4)) & 15 }
