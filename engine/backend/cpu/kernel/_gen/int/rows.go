package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// prefetch is how far ahead of the row being read the weights are fetched, in bytes. They go to the second-level cache,
// which has room for more requests on their way: on Zen 4 one core reads 25 GB/s so, and 8 GB/s with prefetches to the
// first level, wherever they are ahead. 8 KB is not enough, 64 KB no better.
const prefetch = 12 << 10

// prefetchAgain is how many bytes later memory is asked for once more: a processor drops a request when it has too many under way.
const prefetchAgain = 3 << 10

// rows addresses 4 rows a lane: row r at base[r/4] + (r%4) strides.
type rows struct {
	base            []Register
	stride, stride3 Register
}

// newRows addresses n rows from w on; only the first 4 move with w.
func newRows(w, stride Register, n int) rows {
	r := rows{base: []Register{w}, stride: stride, stride3: GP64()}
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.stride3)
	for i := 4; i < n; i += 4 {
		next := GP64()
		LEAQ(Mem{Base: r.base[len(r.base)-1], Index: stride, Scale: 4}, next)
		r.base = append(r.base, next)
	}
	return r
}

// at is the memory disp bytes into row i.
func (r rows) at(i, disp int) Mem {
	m := Mem{Base: r.base[i/4], Disp: disp}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = r.stride, 1
	case 2:
		m.Index, m.Scale = r.stride, 2
	case 3:
		m.Index, m.Scale = r.stride3, 1
	}
	return m
}

// prefetch fetches n bytes of every row, ahead.
func (r rows) prefetch(n int) {
	for i := range 4 * len(r.base) {
		for o := 0; o < n; o += 64 {
			PREFETCHT1(r.at(i, prefetch+o))
			PREFETCHT1(r.at(i, prefetch-prefetchAgain+o))
		}
	}
}

// columns reads 16 bytes at disp of every row into v: element i of v[c] is dword c of row i.
func (r rows) columns(w width, disp int, v, tmp []VecVirtual) {
	for i := range 4 {
		w.lanes(r.at(i, disp), v[i])
		for l := 1; l < int(w); l++ {
			w.insert(l, r.at(4*l+i, disp), v[i])
		}
	}
	transpose4(v, tmp)
}

// transpose4 transposes 4x4 dwords in every lane of v.
func transpose4(v, tmp []VecVirtual) {
	VPUNPCKLDQ(v[1], v[0], tmp[0])
	VPUNPCKHDQ(v[1], v[0], tmp[1])
	VPUNPCKLDQ(v[3], v[2], tmp[2])
	VPUNPCKHDQ(v[3], v[2], tmp[3])
	VPUNPCKLQDQ(tmp[2], tmp[0], v[0])
	VPUNPCKHQDQ(tmp[2], tmp[0], v[1])
	VPUNPCKLQDQ(tmp[3], tmp[1], v[2])
	VPUNPCKHQDQ(tmp[3], tmp[1], v[3])
}

// laneSums adds up the 4 dwords of every lane of 4 vectors: element r of lane l in v[0] becomes the sum of lane l of v[r].
func laneSums(w width, v []VecVirtual, tmp VecVirtual) {
	VPUNPCKHDQ(v[1], v[0], tmp)
	VPUNPCKLDQ(v[1], v[0], v[0])
	VPADDD(tmp, v[0], v[0])
	VPUNPCKHDQ(v[3], v[2], tmp)
	VPUNPCKLDQ(v[3], v[2], v[2])
	VPADDD(tmp, v[2], v[2])
	VPUNPCKHQDQ(v[2], v[0], tmp)
	VPUNPCKLQDQ(v[2], v[0], v[0])
	VPADDD(tmp, v[0], v[0])
}

// sums adds up all dwords of 4 vectors: element r of the result (128 bits) is the sum of v[r].
func sums(w width, v []VecVirtual, tmp VecVirtual) Register {
	laneSums(w, v, tmp)
	if w == avx512 {
		VEXTRACTI64X4(Imm(1), v[0], tmp.AsY())
		VPADDD(tmp.AsY(), v[0].AsY(), v[0].AsY())
		VEXTRACTI32X4(Imm(1), v[0].AsY(), tmp.AsX())
	} else {
		VEXTRACTI128(Imm(1), v[0], tmp.AsX())
	}
	VPADDD(tmp.AsX(), v[0].AsX(), v[0].AsX())
	return v[0].AsX()
}

// halves converts the low or high halves of dwords from float16 to float32.
func halves(w width, v, dst VecVirtual, high bool, low16 VecVirtual) {
	if high {
		VPSRLD(Imm(16), v, dst)
	} else {
		w.mov(v, dst)
	}
	if w == avx512 {
		VPMOVDW(dst, dst.AsY())
		VCVTPH2PS(dst.AsY(), dst)
		return
	}
	if !high {
		VPAND(low16, dst, dst)
	}
	VPACKUSDW(dst, dst, dst)
	VPERMQ(Imm(0x08), dst, dst)
	VCVTPH2PS(dst.AsX(), dst)
}
