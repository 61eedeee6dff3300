package hf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/quant"
)

// blocks are values of a tensor as GGUF has them too, so that they are copied bit by bit.
type blocks struct {
	kind  quant.Type
	row   func(dst []byte, i int) // of all rows of all matrices
	scale float32                 // of the tensor, beside its blocks
}

// packMXFP4 is gpt-oss's: X_blocks has 16 bytes for 32 values, X_scales an exponent for each.
func packMXFP4(p *packs, base string) (*tensor, error) {
	x, err := p.need(base+"_blocks", base+"_scales")
	if err != nil {
		return nil, err
	}
	n := len(x[0].Shape)
	if n < 3 || x[0].Shape[n-1] != 16 {
		return nil, fmt.Errorf("it has shape %v, want blocks of 16 bytes", x[0].Shape)
	}
	shape := append(append([]int{}, x[0].Shape[:n-2]...), x[0].Shape[n-2]*32)
	return packFP4(base+"_blocks", shape, x[0].data, x[1].data, mxfp4, 1)
}

// packMXFP4Rows is that of compressed-tensors.
func packMXFP4Rows(p *packs, base string) (*tensor, error) {
	x, err := p.need(base+".weight_packed", base+".weight_scale")
	if err != nil {
		return nil, err
	}
	if len(x[0].Shape) != 2 {
		return nil, fmt.Errorf("it has shape %v, want a matrix", x[0].Shape)
	}
	return packFP4(base+".weight", []int{x[0].Shape[0], 2 * x[0].Shape[1]}, x[0].data, x[1].data, mxfp4, 1)
}

// packNVFP4 has a scale for 16 values, and one for the tensor: a factor in weight_scale_2, a divisor in weight_global_scale.
func packNVFP4(p *packs, base string, w, scale *tensor) (*tensor, error) {
	if len(w.Shape) != 2 {
		return nil, fmt.Errorf("it has shape %v, want a matrix", w.Shape)
	}
	factor := []float32{1}
	if s := p.take(base + ".weight_scale_2"); s != nil {
		if err := s.decode(factor, 0); err != nil {
			return nil, err
		}
	} else if s := p.take(base + ".weight_global_scale"); s != nil {
		if err := s.decode(factor, 0); err != nil {
			return nil, err
		}
		factor[0] = 1 / factor[0]
	}
	return packFP4(base+".weight", []int{w.Shape[0], 2 * w.Shape[1]}, w.data, scale.data, nvfp4, factor[0])
}

// fp4 is a format of values of four bits with scales.
type fp4 struct {
	kind           quant.Type
	values, scales int // of a block
	mask           byte
}

var (
	mxfp4 = fp4{quant.MXFP4, 32, 1, 0xff}
	nvfp4 = fp4{quant.NVFP4, 64, 4, 0x7f} // scales have no sign
)

// packFP4 has two values in a byte, the first in the low half. GGUF's blocks have the values of the first half of a group in
// the low halves, and those of the second in the high ones; a block begins with the scales of its groups.
func packFP4(name string, shape []int, data, scales []byte, f fp4, factor float32) (*tensor, error) {
	width := shape[len(shape)-1]
	rows := elements(shape[:len(shape)-1])
	if width == 0 || width%f.values != 0 || len(data) != rows*width/2 || len(scales) != rows*width/f.values*f.scales {
		return nil, fmt.Errorf("%d bytes and %d scales do not fit the shape %v", len(data), len(scales), shape)
	}
	b := &blocks{kind: f.kind, scale: factor}
	b.row = func(dst []byte, i int) {
		size := f.kind.BlockBytes()
		for k := range width / f.values {
			block := i*(width/f.values) + k
			f.block(dst[k*size:(k+1)*size], data[block*f.values/2:(block+1)*f.values/2], scales[block*f.scales:(block+1)*f.scales])
		}
	}
	line := make([]byte, f.kind.RowBytes(width))
	values := make([]float32, width)
	return &tensor{Name: name, Shape: shape, packed: b, decode: func(dst []float32, from int) error {
		for i := 0; i < len(dst); {
			b.row(line, (from+i)/width)
			quant.Decode(f.kind, values, line)
			n := copy(dst[i:], values[(from+i)%width:])
			for k := range n {
				dst[i+k] *= factor
			}
			i += n
		}
		return nil
	}}, nil
}

// block repacks one.
func (f fp4) block(dst, data, scales []byte) {
	for i, s := range scales {
		dst[i] = s & f.mask
	}
	group := f.values / f.scales
	for g := range f.scales {
		src, out := data[g*group/2:(g+1)*group/2], dst[f.scales+g*group/2:]
		for i := range group / 2 {
			low, high := src[i/2], src[group/4+i/2]
			if i%2 == 0 {
				out[i] = low&0xf | high<<4
			} else {
				out[i] = low>>4 | high&0xf0
			}
		}
	}
}

// copyBlocks writes the rows that are wanted as they are.
func (s *stream) copyBlocks(src *tensor) error {
	v := &s.x.view
	line := make([]byte, s.t.RowBytes(v.width))
	for m := range v.matrices {
		for i := range v.picked() {
			src.packed.row(line, m*v.rows+v.row(i))
			if _, err := s.w.Write(line); err != nil {
				return err
			}
			if err := s.wrote(len(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addScales plans the factors of tensors that stay blocks: one a tensor, or one an expert.
func (c *Conversion) addScales() {
	for _, x := range slices.Clone(c.planned) {
		if _, ok := x.keeps(); !ok {
			continue
		}
		values, all := make([]float32, len(x.parts)), true
		for i, part := range x.parts {
			values[i] = part.packed.scale
			all = all && values[i] == 1
		}
		if name, ok := strings.CutSuffix(x.name, ".weight"); ok && !all {
			c.planned = append(c.planned, planned{name: name + ".scale", shape: []int{len(values)}, values: values, rule: &rule{}, order: x.order})
		}
	}
}
