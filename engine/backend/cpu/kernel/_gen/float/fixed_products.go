package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	groupPairs  = 4  // pairs of products that are added as integers
	sliceHeader = 24 // bytes of a slice
)

const fixedArgs = "func(y *float32, ldy int, a *int16, lda int, panels, next *[]int16, offset, count, groups, tiles int, by *float32)"

// fixed is the product of m rows of 16-bit integers with panels: for each pair of elements, one after the other, those of 32 columns. The
// panels pass once for m rows.
type fixed struct {
	m                  int
	sums, total        [][2]VecVirtual // integers of a group; float32
	a, lda, lda3, lda5 Register
	y, ldy, by         Register
	list, ahead        Register // of panels and of what is fetched: the distance between both
	ap, pp, np, left   Register // in the loop over pairs
}

func newFixed(m int) *fixed {
	text(fmt.Sprintf("fixedAVX512x%d", m), fixedArgs, fmt.Sprintf(
		"For each of tiles tiles of %d rows of a: y[i][c] = sum over groups of float32(sum over the group's %d pairs of a[i][p] . b[p][c]), for c\n"+
			"below 32; or, unless by is nil, y[i][c] += by[i] times that. Of b, each of count panels has groups groups, from byte offset on. As\n"+
			"much is prefetched of next. Strides are in bytes.", m, groupPairs))
	return &fixed{m: m}
}

func (f *fixed) emit() {
	f.a, f.lda = Load(Param("a"), GP64()), Load(Param("lda"), GP64())
	f.y, f.ldy, f.by = Load(Param("y"), GP64()), Load(Param("ldy"), GP64()), Load(Param("by"), GP64())
	if f.m == 6 {
		f.lda3, f.lda5 = times(f.lda, 2), times(f.lda, 4)
	}
	f.sums, f.total = make([][2]VecVirtual, f.m), make([][2]VecVirtual, f.m)
	Label("tile")
	for i := range f.m {
		for c := range 2 {
			f.sums[i][c], f.total[i][c] = ZMM(), ZMM()
			zero(f.total[i][c])
		}
	}
	f.overPanels(f.group)
	f.finish()
	for range f.m {
		ADDQ(f.lda, f.a)
	}
	DECQ(argument("tiles"))
	JNZ(LabelRef("tile"))
	end()
}

// overPanels runs body for the groups of all panels.
func (f *fixed) overPanels(body func()) {
	f.list, f.ap, f.pp, f.left = GP64(), GP64(), GP64(), GP64()
	end := GP64()
	MOVQ(f.a, f.ap)
	Load(Param("panels"), f.list)
	Load(Param("count"), end)
	LEAQ(indexed(end, end, 2), end)
	LEAQ(indexed(f.list, end, 8), end)
	f.ahead, f.np = Load(Param("next"), GP64()), GP64()
	SUBQ(f.list, f.ahead)
	Label("panel")
	MOVQ(at(f.list, 0), f.pp)
	ADDQ(argument("offset"), f.pp)
	MOVQ(indexed(f.list, f.ahead, 1), f.np)
	ADDQ(argument("offset"), f.np)
	Load(Param("groups"), f.left)
	Label("group")
	body()
	ADDQ(Imm(4*groupPairs), f.ap)
	ADDQ(U32(128*groupPairs), f.pp)
	ADDQ(U32(128*groupPairs), f.np)
	DECQ(f.left)
	JNZ(LabelRef("group"))
	ADDQ(Imm(sliceHeader), f.list)
	CMPQ(f.list, end)
	JNE(LabelRef("panel"))
}

func (f *fixed) group() {
	for p := range groupPairs {
		f.pair(p)
	}
	for i := range f.m {
		for c, s := range f.sums[i] {
			VCVTDQ2PS(s, s)
			VADDPS(s, f.total[i][c], f.total[i][c])
		}
	}
}

// pair multiplies a pair of every row with that of 32 columns.
func (f *fixed) pair(p int) {
	var columns [2]VecVirtual
	for c := range columns {
		columns[c] = ZMM()
		PREFETCHT1(at(f.np, 128*p+64*c))
		PREFETCHT1(at(f.np, 128*p+64*c-prefetchAgain))
		VMOVDQU32(at(f.pp, 128*p+64*c), columns[c])
	}
	for i := range f.m {
		x := ZMM()
		VPBROADCASTD(row(f.ap, f.lda, f.lda3, f.lda5, i).Offset(4*p), x)
		for c := range columns {
			if p == 0 {
				VPMADDWD(columns[c], x, f.sums[i][c])
			} else {
				VPDPWSSDS(columns[c], x, f.sums[i][c]) // 8 times 2^14 times 2^14 becomes one less, which rounds to it
			}
		}
	}
}

// finish writes or adds the sums of a tile.
func (f *fixed) finish() {
	TESTQ(f.by, f.by)
	JZ(LabelRef("store"))
	for i := range f.m {
		by := ZMM()
		VBROADCASTSS(at(f.by, 4*i), by)
		for c, t := range f.total[i] {
			VFMADD213PS(at(f.y, 64*c), by, t)
			VMOVUPS(t, at(f.y, 64*c))
		}
		ADDQ(f.ldy, f.y)
	}
	ADDQ(Imm(uint64(4*f.m)), f.by)
	JMP(LabelRef("stored"))
	Label("store")
	for i := range f.m {
		for c, t := range f.total[i] {
			VMOVUPS(t, at(f.y, 64*c))
		}
		ADDQ(f.ldy, f.y)
	}
	Label("stored")
}
