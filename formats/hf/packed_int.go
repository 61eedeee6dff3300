package hf

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// packGPTQ has numbers of some bits in words along the inputs, zero points in words along the outputs, and a group of scales for
// each input (Frantar et al., GPTQ). Without g_idx groups are as many inputs one after another.
func packGPTQ(p *packs, base string) (*tensor, error) {
	x, err := p.need(base+".qweight", base+".qzeros", base+".scales")
	if err != nil {
		return nil, err
	}
	g := &gptq{words: x[0].data, zeros: x[1].data, scales: x[2], bits: p.config.Int("bits"), offset: 1}
	if g.bits != 2 && g.bits != 3 && g.bits != 4 && g.bits != 8 {
		return nil, fmt.Errorf("%w GPTQ of %d bits", ErrUnsupported, g.bits)
	}
	if p.config.Str("checkpoint_format") == "gptq_v2" {
		g.offset = 0
	}
	if len(x[0].Shape) != 2 || len(x[2].Shape) != 2 {
		return nil, fmt.Errorf("shapes %v and %v, want matrices", x[0].Shape, x[2].Shape)
	}
	g.in, g.out, g.groups = x[0].Shape[0]*32/g.bits, x[0].Shape[1], x[2].Shape[0]
	if index := p.take(base + ".g_idx"); index != nil {
		g.index = index.data
	} else {
		g.index = inOrder(g.in, g.groups)
	}
	if g.groups < 1 || x[2].Shape[1] != g.out || x[0].Shape[0]*32%g.bits != 0 || len(g.words) != g.in*g.bits/8*g.out || g.out*g.bits%32 != 0 ||
		len(g.zeros) != g.groups*g.out*g.bits/8 || len(g.index) != g.in*4 {
		return nil, fmt.Errorf("the sizes of its parts do not fit one another")
	}
	return &tensor{Name: base + ".weight", Shape: []int{g.out, g.in}, decode: g.decode}, nil
}

// inOrder gives each input the group of its place.
func inOrder(in, groups int) []byte {
	var out []byte
	for i := range in {
		out = binary.LittleEndian.AppendUint32(out, uint32(i/ceil(in, max(1, groups))))
	}
	return out
}

type gptq struct {
	words, zeros, index []byte
	scales              *tensor
	bits                int
	in, out, groups     int
	offset              int // of zero points
}

func (g *gptq) decode(dst []float32, from int) error {
	scale, zero := make([]float32, g.groups), make([]float32, g.groups)
	for i := 0; i < len(dst); {
		row, col := (from+i)/g.in, (from+i)%g.in
		for k := range g.groups {
			if err := g.scales.decode(scale[k:k+1], k*g.out+row); err != nil {
				return err
			}
			zero[k] = float32(streamed(g.zeros, k*g.out*g.bits/32, 1, row*g.bits, g.bits) + g.offset)
		}
		for ; col < g.in && i < len(dst); col, i = col+1, i+1 {
			group := int(int32(binary.LittleEndian.Uint32(g.index[col*4:])))
			if group < 0 || group >= g.groups {
				return fmt.Errorf("input %d belongs to group %d of %d", col, group, g.groups)
			}
			dst[i] = scale[group] * (float32(streamed(g.words, row, g.out, col*g.bits, g.bits)) - zero[group])
		}
	}
	return nil
}

// streamed is the number at a bit of a stream of 32-bit words, which begins at word first and takes every stride-th.
func streamed(words []byte, first, stride, bit, bits int) int {
	at := (first + bit/32*stride) * 4
	x := uint64(binary.LittleEndian.Uint32(words[at:]))
	if bit%32+bits > 32 {
		x |= uint64(binary.LittleEndian.Uint32(words[at+stride*4:])) << 32
	}
	return int(x>>(bit%32)) & (1<<bits - 1)
}

// number is the i-th number of a 32-bit word.
func number(words []byte, word, i, bits int) int {
	return int(binary.LittleEndian.Uint32(words[word*4:])>>(i*bits)) & (1<<bits - 1)
}

// packIntegers is compressed-tensors' pack-quantized: words along the inputs, a scale for a group of inputs, and zero points in
// words along the outputs, or none where numbers are symmetric.
func packIntegers(p *packs, base string) (*tensor, error) {
	x, err := p.need(base+".weight_packed", base+".weight_scale", base+".weight_shape")
	if err != nil {
		return nil, err
	}
	g := &grouping{words: x[0].data, scales: x[1]}
	w, err := p.weights("num_bits", "group_size")
	if err != nil {
		return nil, err
	}
	if g.bits, g.size = w.Int("num_bits"), w.IntOr(0, "group_size"); w.err != nil {
		return nil, w.err
	}
	if g.bits < 1 || g.bits > 8 || len(x[0].Shape) != 2 || len(x[1].Shape) != 2 || len(x[2].data) != 16 {
		return nil, fmt.Errorf("%w packing of %d bits, shape %v", ErrUnsupported, g.bits, x[0].Shape)
	}
	g.per = 32 / g.bits
	g.out, g.in = int(binary.LittleEndian.Uint64(x[2].data)), int(binary.LittleEndian.Uint64(x[2].data[8:]))
	g.groups = x[1].Shape[1]
	if g.size <= 0 {
		g.size = g.in
	}
	if z := p.take(base + ".weight_zero_point"); z != nil {
		g.zeros = z.data
	}
	fits := g.in > 0 && g.out == x[0].Shape[0] && x[0].Shape[1] == ceil(g.in, g.per) && g.groups == ceil(g.in, g.size) && x[1].Shape[0] == g.out &&
		(g.zeros == nil || len(g.zeros) == ceil(g.out, g.per)*g.groups*4)
	if !fits {
		return nil, fmt.Errorf("the sizes of its parts do not fit one another")
	}
	return &tensor{Name: base + ".weight", Shape: []int{g.out, g.in}, decode: g.decode}, nil
}

// weights are what config_groups say of weights under some keys. Groups that have a key must have the same: which tensors belong to which
// group is not known here.
func (p *packs) weights(keys ...string) (*Config, error) {
	groups, said := p.config.in("config_groups"), map[string]any{}
	for name := range groups.values {
		w := groups.in(name).in("weights")
		for _, key := range keys {
			v := w.values[key]
			if v == nil {
				continue
			}
			if old := said[key]; old != nil && !reflect.DeepEqual(old, v) {
				return nil, fmt.Errorf("%w config_groups that differ in %s", ErrUnsupported, key)
			}
			said[key] = v
		}
	}
	return &Config{path: p.config.path, values: said}, nil
}

type grouping struct {
	words, zeros    []byte
	scales          *tensor
	bits, per, size int
	in, out, groups int
}

func (g *grouping) decode(dst []float32, from int) error {
	scale := make([]float32, g.groups)
	for i := 0; i < len(dst); {
		row, col := (from+i)/g.in, (from+i)%g.in
		if err := g.scales.decode(scale, row*g.groups); err != nil {
			return err
		}
		for ; col < g.in && i < len(dst); col, i = col+1, i+1 {
			zero := 1 << (g.bits - 1)
			if g.zeros != nil {
				zero = number(g.zeros, row/g.per*g.groups+col/g.size, row%g.per, g.bits)
			}
			dst[i] = scale[col/g.size] * float32(number(g.words, row*ceil(g.in, g.per)+col/g.per, col%g.per, g.bits)-zero)
		}
	}
	return nil
}
