package kernel

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/llamakit/llamakit/formats/quant"
)

// Products of attention in fixed point. A row of numbers becomes integers of 15 bits and one scale, a power of two, so that an element is off
// by at most 2^-14 of the largest: less than half precision is for those above an eighth of it. The product of two such rows is
// the sum in float32, in order, of groups of fixedGroup products that are added as integers, exactly. Processors that add pairs of 16-bit
// products (AVX512_VNNI) take two where they take one of float32.
//
// What is on the right stands in panels of FixedWidth columns, as a cache keeps keys and values of FixedWidth tokens: for each pair
// of elements, in order, those of all columns. A token's keys are a column; its values are an element of as many columns, in
// panels one after another.
const (
	FixedWidth = 32 // columns of a panel
	fixedGroup = 8  // products that are added as integers: 8 times 2^14 times 2^14 is one more than fits, and is what the most that fits rounds to
	fixedBits  = 14 // of the largest element, without sign; it may round up to 2^14
	fixedLeast = 27 // the least exponent of it, with float32's bias, that is scaled by: smaller rows lose bits
)

// fixedOps is what a tier provides for products in fixed point. The generic bodies are the specification, and no tier's: without instructions for
// pairs of products, float32 is faster.
type fixedOps struct {
	row     func(dst []int16, x []float32) float32
	weights func(dst []int16, x, by []float32, top float32) (sum, scale float32)
	scores  func(x, scales []float32, by float32) float32
	element func(panels []int16, i int, row []int16)
	mul     func(y []float32, ldy int, a []int16, lda int, panels, next [][]int16, m, k, columns int, by []float32)
}

// HasFixed reports whether the tier multiplies rows of dim elements that are wanted in type t in fixed point: such of 16 bits.
func HasFixed(t quant.Type, dim int) bool {
	return current.fixed != nil && t == quant.F16 && dim > 0 && dim%FixedWidth == 0
}

// FixRow converts a row and returns its scale: x[i] is about dst[i] times it. The scale of a row with an infinite element or a NaN is NaN. The
// length is a multiple of FixedWidth.
func FixRow(dst []int16, x []float32) (scale float32) {
	sameLength("FixRow", len(dst), len(x))
	checkFixed("FixRow", len(x))
	return current.fixed.row(dst, x)
}

// FixWeights converts the row exp(x[i]-top) * by[i], in which 0 times anything is 0, and returns the sum of the exponentials, too. It uses
// x up.
func FixWeights(dst []int16, x, by []float32, top float32) (sum, scale float32) {
	sameLength("FixWeights", len(dst), len(x), len(by))
	checkFixed("FixWeights", len(x))
	if math.IsInf(float64(top), -1) { // as in ExpSum
		clear(dst)
		clear(x)
		return 0, 0
	}
	return current.fixed.weights(dst, x, by, top)
}

// ScaleScores computes x[i] = x[i] * by * scales[i] and returns the largest of them, as MaxOf.
func ScaleScores(x, scales []float32, by float32) (top float32) {
	sameLength("ScaleScores", len(x), len(scales))
	return current.fixed.scores(x, scales, by)
}

func checkFixed(op string, n int) {
	if n == 0 || n%FixedWidth != 0 {
		panic(fmt.Sprintf("kernel: %s of %d elements, want a multiple of %d", op, n, FixedWidth))
	}
}

// MulFixed computes y[i*ldy+c] = a_i . b_c for m rows of integers and a number of columns, a multiple of FixedWidth. The elements of b are those of
// some panels, k of each, a multiple of 8; panels that are no further columns begin k*FixedWidth integers after one another. With by
// it adds by[i] times that to y. Meanwhile next is fetched, as many panels; nil: nothing. The bits of an output depend on its row
// and column alone.
func MulFixed(y []float32, ldy int, a []int16, lda int, panels, next [][]int16, m, k, columns int, by []float32) {
	if m <= 0 || k <= 0 || columns <= 0 || len(panels) == 0 {
		return
	}
	if next == nil {
		next = panels
	}
	if k%fixedGroup != 0 || columns%FixedWidth != 0 || len(y) < (m-1)*ldy+columns || len(a) < (m-1)*lda+k*len(panels) ||
		len(next) < len(panels) || by != nil && len(by) < m {
		panic(fmt.Sprintf("kernel: MulFixed of %d rows of %d by %d: %d integers by %d, %d outputs by %d", m, k*len(panels), columns, len(a), lda, len(y), ldy))
	}
	for _, p := range panels {
		if len(p) < k*columns {
			panic(fmt.Sprintf("kernel: MulFixed of %d by %d: a panel of %d", k, columns, len(p)))
		}
	}
	current.fixed.mul(y, ldy, a, lda, panels, next, m, k, columns, by)
}

// PutColumn makes a row column c of a panel.
func PutColumn(panel []int16, c int, row []int16) {
	words, pairs := pairsOf(panel)[c:], pairsOf(row)
	for i, p := range pairs {
		words[i*FixedWidth] = p
	}
}

// GetColumn reads what PutColumn wrote.
func GetColumn(row, panel []int16, c int) {
	words, pairs := pairsOf(panel)[c:], pairsOf(row)
	for i := range pairs {
		pairs[i] = words[i*FixedWidth]
	}
}

// PutElement makes a row element i of its columns, in panels of FixedWidth elements.
func PutElement(panels []int16, i int, row []int16) {
	checkFixed("PutElement", len(row))
	if i < 0 || i >= FixedWidth || len(panels) < FixedWidth*len(row) {
		panic(fmt.Sprintf("kernel: element %d of panels of %d for %d columns", i, len(panels), len(row)))
	}
	current.fixed.element(panels, i, row)
}

func putElementGeneric(panels []int16, i int, row []int16) {
	for c, v := range row {
		panels[elementAt(i, c)] = v
	}
}

// GetElement reads what PutElement wrote.
func GetElement(row, panels []int16, i int) {
	for c := range row {
		row[c] = panels[elementAt(i, c)]
	}
}

// elementAt is where panels of FixedWidth elements have element i of column c.
func elementAt(i, c int) int {
	return c/FixedWidth*FixedWidth*FixedWidth + i/2*2*FixedWidth + 2*(c%FixedWidth) + i%2
}

// pairsOf views integers in pairs.
func pairsOf(x []int16) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

func fixRowGeneric(dst []int16, x []float32) float32 {
	var most uint32
	for _, v := range x {
		most = max(most, math.Float32bits(v)&^(1<<31))
	}
	const bias, special = 127, 255
	e := max(fixedLeast, int(most>>23)) - bias - (fixedBits - 1)
	if most>>23 == special {
		return float32(math.NaN()) // whatever the integers
	}
	for i, v := range x {
		dst[i] = int16(math.RoundToEven(math.Ldexp(float64(v), -e)))
	}
	return float32(math.Ldexp(1, e))
}

func fixWeightsGeneric(dst []int16, x, by []float32, top float32) (sum, scale float32) {
	sum = float32(expSumGeneric(x, top))
	for i, w := range x {
		if w != 0 {
			x[i] = w * by[i]
		}
	}
	return sum, fixRowGeneric(dst, x)
}

func scaleScoresGeneric(x, scales []float32, by float32) float32 {
	mulScaledGeneric(x, x, scales, by)
	return maxOfGeneric(x)
}

func mulFixedGeneric(y []float32, ldy int, a []int16, lda int, panels, _ [][]int16, m, k, columns int, by []float32) {
	for i := range m {
		for c := range columns {
			var total float32
			for p, panel := range panels {
				row, first := a[i*lda+p*k:][:k], c/FixedWidth*k*FixedWidth+2*(c%FixedWidth)
				for g := 0; g < k; g += fixedGroup {
					var sum int64
					for j := g; j < g+fixedGroup; j++ {
						sum += int64(row[j]) * int64(panel[first+j/2*2*FixedWidth+j%2])
					}
					total += float32(sum)
				}
			}
			if by != nil {
				total = float32(math.FMA(float64(by[i]), float64(total), float64(y[i*ldy+c])))
			}
			y[i*ldy+c] = total
		}
	}
}
