package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/llamakit/llamakit/formats/quant"
)

// Products in float32. An output is the sum, in order of k, of partial sums over blocks of kBlock elements; within a block
// a tier fixes the order by its vector width. The last block is padded with zeros to a multiple of kUnit.
//
// Up to a band of activation rows is multiplied with the weights where they lie (directSet), each weight read from memory
// once. More are multiplied with panels of weights converted to float32 in scratch memory, as are types and row lengths
// that directSet does not take. Conversion is exact, so both ways give the same bits. A panel's block stays in the
// second-level cache while the activations pass, in bands that stay there too.
const (
	kBlock     = 1024 // elements of a partial sum: 4 weight and 6 activation rows of it fit a first-level cache of 48 KiB
	kUnit      = 16   // every vector width of every tier divides it
	panelRows  = 64
	bandRows   = 48             // a multiple of every tile's height
	panelWidth = kBlock + kUnit // one line more, so that rows do not fall on the same cache sets
)

// floatFormat is how weights of one type become float32.
type floatFormat struct {
	typ    quant.Type
	load   func(dst []float32, src []byte) // len(dst) elements
	direct int                             // index in directSet, or -1
}

var floatFormats = map[quant.Type]floatFormat{
	quant.F32:  {quant.F32, loadF32, directF32},
	quant.F16:  {quant.F16, LoadF16, directF16},
	quant.BF16: {quant.BF16, LoadBF16, directBF16},
}

// decoded is the format of a type that has no kernel of its own.
func decoded(t quant.Type) floatFormat {
	return floatFormat{t, func(dst []float32, src []byte) { quant.Decode(t, dst, src) }, -1}
}

// Formats that directSet has entries for.
const (
	directF32 = iota
	directF16
	directBF16
	directCount
)

// blockFunc computes y[i*ldy+j] (+)= w_j . x_i over one block of k elements, k a multiple of kUnit and at most kBlock, for i in
// [0,m) and j in [0,n). With add it adds to y, otherwise it stores.
type blockFunc func(y []float32, ldy int, w []float32, ldw int, x []float32, ldx, m, n, k int, add bool)

// directFunc is blockFunc over all blocks of rows of k elements that lie as in the file, ldw bytes apart, with prepared activations
// ldx bytes apart. Meanwhile next is fetched.
type directFunc func(y []float32, ldy int, w, next []byte, ldw int, x []byte, ldx, m, n, k int)

// directSet has a tier's products with weights where they lie.
type directSet struct {
	rows  int // activation rows that f takes
	f     [directCount]directFunc
	pairs directFunc // BF16 weights times BF16 activations; nil: multiply in float32
}

func floatMatMul(f floatFormat) MatMul {
	rows := func(y []float32, ldy int, w, next, acts []byte, m, k int) {
		if n := checkRows(f.typ, 4*actStride(k), len(y), ldy, len(w), len(acts), m, k); n > 0 {
			f.rows(y, ldy, w, next, acts, m, n, k)
		}
	}
	return MatMul{
		ActBytes: func(k int) int { return 4 * actStride(k) },
		Prepare:  prepareFloat,
		Rows:     func(y []float32, ldy int, w, acts []byte, m, k int) { rows(y, ldy, w, nil, acts, m, k) },
		Page:     rows,
	}
}

// actStride is the distance of prepared activation rows in floats: an odd number of 64-byte lines, so that the
// rows of a tile do not fall on the same cache sets.
func actStride(k int) int { return (roundUp(k, kUnit)/kUnit | 1) * kUnit }

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

func prepareFloat(dst []byte, x []float32) {
	sameLength("Prepare, in bytes", 4*actStride(len(x)), len(dst))
	d := floats(dst)
	clear(d[copy(d, x):])
}

// checkRows panics when a slice does not fit, and returns the number of weight rows, 0 when there is nothing to do. A prepared row
// has actRow bytes.
func checkRows(t quant.Type, actRow, ny, ldy, nw, nacts, m, k int) int {
	if m <= 0 || k <= 0 || nw == 0 {
		return 0
	}
	row := t.RowBytes(k)
	n := nw / row
	if n*row != nw || ny < (m-1)*ldy+n || m > 1 && ldy < n || nacts < m*actRow {
		panic(fmt.Sprintf("kernel: product of %v rows of %d: %d bytes of weights, %d of activations for %d rows, %d outputs by %d",
			t, k, nw, nacts, m, ny, ldy))
	}
	return n
}

func (f *floatFormat) rows(y []float32, ldy int, w, next, acts []byte, m, n, k int) {
	if d := &current.direct; f.direct >= 0 && m <= d.rows && k%kUnit == 0 {
		d.f[f.direct](y, ldy, w, next, f.typ.RowBytes(k), acts, 4*actStride(k), m, n, k)
		return
	}
	p := panels.Get().(*panel)
	for j := 0; j < n; j += panelRows {
		f.panel(p, y[j:], ldy, w[j*f.typ.RowBytes(k):], floats(acts), m, min(panelRows, n-j), k)
	}
	panels.Put(p)
}

// panel computes the outputs of n weight rows, at most panelRows.
func (f *floatFormat) panel(p *panel, y []float32, ldy int, w []byte, x []float32, m, n, k int) {
	ldx := actStride(k)
	for k0 := 0; k0 < k; k0 += kBlock {
		kn := min(kBlock, k-k0)
		f.fill(p, w, n, k, k0, kn)
		for i := 0; i < m; i += bandRows {
			current.block(y[i*ldy:], ldy, p[:], panelWidth, x[i*ldx+k0:], ldx, min(bandRows, m-i), n, roundUp(kn, kUnit), k0 > 0)
		}
	}
}

// panel is a block of weight rows as float32, panelWidth apart.
type panel [panelRows * panelWidth]float32

var panels = sync.Pool{New: func() any { return new(panel) }}

// fill converts elements [k0, k0+kn) of n rows and pads them with zeros to a multiple of kUnit.
func (f *floatFormat) fill(p *panel, w []byte, n, k, k0, kn int) {
	row, skip, size := f.typ.RowBytes(k), f.typ.RowBytes(k0), f.typ.RowBytes(kn)
	for j := range n {
		dst := p[j*panelWidth:][:roundUp(kn, kUnit)]
		f.load(dst[:kn], w[j*row+skip:][:size])
		clear(dst[kn:])
	}
}

// floats views prepared activations, which never leave this process, as the numbers they are.
func floats(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// littleEndian tells whether numbers in files are numbers in memory.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func loadF32(dst []float32, src []byte) {
	if littleEndian {
		copy(dst, floats(src))
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

// blockGeneric multiplies row by row.
func blockGeneric(y []float32, ldy int, w []float32, ldw int, x []float32, ldx, m, n, k int, add bool) {
	for i := range m {
		out, xi := y[i*ldy:][:n], x[i*ldx:][:k]
		for j := range out {
			s := dotGeneric(xi, w[j*ldw:][:k])
			if add {
				s += out[j]
			}
			out[j] = s
		}
	}
}

// dotGeneric is the sum of products of two rows of the same length, a multiple of 8, in eight lanes.
//
//go:noinline
func dotGeneric(x, w []float32) float32 {
	var s [8]float32
	for len(x) >= 8 && len(w) >= 8 {
		for l := range s {
			s[l] += x[l] * w[l]
		}
		x, w = x[8:], w[8:]
	}
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))
}
