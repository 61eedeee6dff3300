package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Panels of types whose weights are not just shifted and masked: the rows are expanded one by one behind the panel, to 256 bytes and
// what belongs to them, and then turned.
const (
	expandedScales = 256 // float32
	expandedBytes  = 336
	expandedRows   = panelEnd + 16*panelStep
)

// expandedPanel writes an unpack kernel that expands rows and turns them and n scales each into a panel.
func expandedPanel(w width, name string, n int, begin func(), expand func(src, dst Register)) {
	panel, row, size := expandRows(w, name, expandedRows, expandedBytes, begin, expand)
	LEAQ(at(panel, expandedRows), row)
	MOVQ(U32(expandedBytes), size)
	unpackRows(w, row, size, panel, func(u *unpacker) {
		for c := range n / 4 {
			u.columns(w, expandedScales+16*c, u.v, u.tmp)
			for j, v := range u.v {
				w.mov(v, at(u.panel, panelEnd+panelStep*(4*c+j)))
			}
		}
	}, 8, 32, 8*panelStep, (*unpacker).bytes32)
}

// expandRows begins an unpack kernel: begin makes constants, and expand is called for each row, size bytes after the one before, the
// first at place in the panel. row and stride are free afterwards.
func expandRows(w width, name string, place, size int, begin func(), expand func(src, dst Register)) (panel, row, stride Register) {
	w.begin(name, unpackArgs)
	wt := Load(Param("w"), GP64())
	stride = Load(Param("stride"), GP64())
	panel = Load(Param("panel"), GP64())
	begin()
	row, n := GP64(), GP64()
	LEAQ(at(panel, place), row)
	MOVQ(U32(panelRows), n)
	Label("expand")
	expand(wt, row)
	ADDQ(stride, wt)
	ADDQ(U32(uint32(size)), row)
	DECQ(n)
	JNZ(LabelRef("expand"))
	return panel, row, stride
}

// bytes32 unpacks 32 weights of every row that are bytes in order.
func (u *unpacker) bytes32() {
	for c := range 2 {
		u.columns(u.width, 16*c, u.v, u.tmp)
		for i, v := range u.v {
			u.store(v, 4*c+i)
		}
	}
}
