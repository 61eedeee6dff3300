package hf

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/safetensors"
)

// packer makes one tensor of those that quantisation made of it.
type packer struct {
	sign string // end of the names of tensors that have it
	pack func(p *packs, base string) (*tensor, error)
}

// packs are tensors of a checkpoint of which others are made.
type packs struct {
	config *Config // quantization_config, or config.json
	byName map[string]*tensor
	used   map[string]bool
}

func newPacks(config *Config, all []*tensor) *packs {
	p := &packs{config: config, byName: map[string]*tensor{}, used: map[string]bool{}}
	for _, x := range all {
		p.byName[x.Name] = x
	}
	return p
}

// unpack joins the tensors that quantisation made of one, by quantization_config.
func (c *Config) unpack(all []*tensor) ([]*tensor, error) {
	values, ok := c.values["quantization_config"].(map[string]any)
	if !ok {
		return all, nil
	}
	p := newPacks(&Config{path: c.path, values: values}, all)
	packers, err := p.packers()
	if err != nil {
		return nil, err
	}
	made := map[string]*tensor{}
	for _, x := range all {
		for _, k := range packers {
			base, ok := strings.CutSuffix(x.Name, k.sign)
			if !ok || p.used[x.Name] {
				continue
			}
			t, err := k.pack(p, base)
			if err != nil {
				return nil, fmt.Errorf("%s: tensor %q: %w", c.path, x.Name, err)
			}
			if t != nil {
				made[x.Name] = t
			}
		}
	}
	return p.rest(all, made), p.config.Err()
}

// rest lists the tensors that were made in the places of those that gave them their names, and those that were left alone.
func (p *packs) rest(all []*tensor, made map[string]*tensor) []*tensor {
	var out []*tensor
	for _, x := range all {
		switch {
		case made[x.Name] != nil:
			out = append(out, made[x.Name])
		case !p.used[x.Name] && !unusedScale(x.Name):
			out = append(out, x)
		}
	}
	return out
}

// unusedScale says of scales of activations and of caches, which GGUF has no place for.
func unusedScale(name string) bool {
	for _, end := range []string{".input_scale", ".k_scale", ".v_scale", "activation_scale", ".input_global_scale", ".weight_zero_point", ".output_scale"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// take returns a tensor, and keeps it out of the rest; nil when it is not there.
func (p *packs) take(name string) *tensor {
	x := p.byName[name]
	if x != nil {
		p.used[name] = true
	}
	return x
}

// need is take for what must be there.
func (p *packs) need(names ...string) ([]*tensor, error) {
	out := make([]*tensor, len(names))
	for i, name := range names {
		if out[i] = p.take(name); out[i] == nil {
			return nil, fmt.Errorf("%q is missing", name)
		}
	}
	return out, nil
}

// packers are the ways of packing that the method of quantisation has. Unknown ones are refused by name.
func (p *packs) packers() ([]packer, error) {
	method, format := p.config.Str("quant_method"), p.config.Str("format")
	switch method {
	case "fp8":
		return []packer{{"_scale_inv", packFP8}, {".scale", packDeepSeek}}, nil
	case "mxfp4":
		return []packer{{"_blocks", packMXFP4}}, nil
	case "gptq":
		return []packer{{".qweight", packGPTQ}}, nil
	case "awq":
		return p.awq()
	case "modelopt", "modelopt_mixed":
		return []packer{{".weight_scale", packScaled}}, nil
	case "compressed-tensors":
		switch format {
		case "float-quantized", "int-quantized", "naive-quantized", "nvfp4-pack-quantized", "mixed-precision":
			return []packer{{".weight_scale", packScaled}}, nil
		case "pack-quantized":
			return []packer{{".weight_packed", packIntegers}}, nil
		case "mxfp4-pack-quantized":
			return []packer{{".weight_packed", packMXFP4Rows}}, nil
		}
		method += " " + format
	}
	return nil, fmt.Errorf("%s: %w quantization_config %q; known: fp8, mxfp4, gptq, awq, modelopt, compressed-tensors", p.config.path, ErrUnsupported, method)
}

// packFP8 multiplies by the scales of blocks, DeepSeek-V3's way, or by that of the whole tensor.
func packFP8(p *packs, base string) (*tensor, error) {
	x, err := p.need(base, base+"_scale_inv")
	if err != nil {
		return nil, err
	}
	return scaled(x[0], x[1], p.config.ints("weight_block_size"))
}

// packDeepSeek is DeepSeek-V4's own form: matrices of FP8 with the scales of blocks, and experts of MXFP4 in bytes of two values.
func packDeepSeek(p *packs, base string) (*tensor, error) {
	x, err := p.need(base+".weight", base+".scale")
	if err != nil {
		return nil, err
	}
	if w := x[0]; w.DType == safetensors.I8 || w.DType == safetensors.U8 {
		if len(w.Shape) != 2 {
			return nil, fmt.Errorf("it has shape %v, want a matrix", w.Shape)
		}
		return packFP4(base+".weight", []int{w.Shape[0], 2 * w.Shape[1]}, w.data, x[1].data, mxfp4, 1)
	}
	return scaled(x[0], x[1], p.config.ints("weight_block_size"))
}

// packScaled multiplies by the scales of blocks, rows, or the whole tensor; NVFP4 has bytes of two values.
func packScaled(p *packs, base string) (*tensor, error) {
	scale := p.take(base + ".weight_scale")
	w := p.take(base + ".weight")
	if w == nil {
		w = p.take(base + ".weight_packed")
	}
	if w == nil {
		return nil, nil // of something that is not stored
	}
	if w.DType == safetensors.U8 {
		return packNVFP4(p, base, w, scale)
	}
	said, err := p.weights("block_structure")
	if err != nil {
		return nil, err
	}
	return scaled(w, scale, said.ints("block_structure"))
}

// scaled is a tensor whose values are multiplied by scales: of blocks of rows and columns, of rows, or of all.
func scaled(w, scale *tensor, block []int) (*tensor, error) {
	n := len(w.Shape)
	if n < 2 {
		return nil, fmt.Errorf("it has shape %v, want matrices", w.Shape)
	}
	rows, width := w.Shape[n-2], w.Shape[n-1]
	s := scaling{w: w, scale: scale, rows: rows, width: width, high: 1, wide: width}
	count := elements(scale.Shape)
	switch {
	case count == 1:
		s.high, s.all = rows, true
	case len(block) == 2 && block[0] > 0 && block[1] > 0:
		s.high, s.wide = block[0], block[1]
	}
	if want := elements(w.Shape[:n-2]) * ceil(rows, s.high) * ceil(width, s.wide); !s.all && want != count {
		return nil, fmt.Errorf("it has %d scales, want %d", count, want)
	}
	return &tensor{Name: w.Name, Shape: w.Shape, decode: s.decode}, nil
}

// scaling multiplies blocks of high rows and wide columns.
type scaling struct {
	w, scale                *tensor
	rows, width, high, wide int
	all                     bool // one scale
}

func (s *scaling) decode(dst []float32, from int) error {
	if err := s.w.integers(dst, from); err != nil {
		return err
	}
	factors := make([]float32, ceil(s.width, s.wide))
	for i := 0; i < len(dst); {
		row, col := (from+i)/s.width, (from+i)%s.width
		at := (row/s.rows*ceil(s.rows, s.high) + row%s.rows/s.high) * len(factors)
		if s.all {
			at = 0
		}
		if err := s.scale.decode(factors, at); err != nil {
			return err
		}
		for ; col < s.width && i < len(dst); col, i = col+1, i+1 {
			dst[i] *= factors[col/s.wide]
		}
	}
	return nil
}

// integers is decode that knows bytes too.
func (t *tensor) integers(dst []float32, from int) error {
	if t.DType != safetensors.I8 {
		return t.decode(dst, from)
	}
	for i := range dst {
		dst[i] = float32(int8(t.data[from+i]))
	}
	return nil
}

func ceil(n, size int) int { return (n + size - 1) / size }

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
