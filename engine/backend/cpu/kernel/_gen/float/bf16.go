package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

const dotBF16 = "VDPBF16PS"

// init has the passes of avo followed by one that encodes what neither avo nor Go's assembler knows.
func init() {
	pass.Compile = pass.Concat(pass.Compile, pass.FunctionPass(encodeDots))
}

// dot adds to each lane of acc the products of two pairs of BF16 numbers, those of x and w in the lane's place.
func dot(x, w, acc reg.VecVirtual) {
	Instruction(&ir.Instruction{
		Opcode:   dotBF16,
		Operands: []operand.Op{x, w, acc},
		Inputs:   []operand.Op{x, w, acc},
		Outputs:  []operand.Op{acc},
		ISA:      []string{"AVX512BF16"},
	})
}

// encodeDots replaces each VDPBF16PS, whose registers are known by now, with its bytes.
func encodeDots(f *ir.Function) error {
	var nodes []ir.Node
	for _, n := range f.Nodes {
		i, ok := n.(*ir.Instruction)
		if !ok || i.Opcode != dotBF16 {
			nodes = append(nodes, n)
			continue
		}
		var r [3]byte
		for j, op := range i.Operands {
			r[j] = byte(op.(reg.Physical).PhysicalIndex())
		}
		b := dotBytes(r[0], r[1], r[2])
		nodes = append(nodes, ir.NewComment(fmt.Sprintf("%s Z%d, Z%d, Z%d", dotBF16, r[0], r[1], r[2])),
			&ir.Instruction{Opcode: "LONG", Operands: []operand.Op{operand.U32(uint32(b[3])<<24 | uint32(b[2])<<16 | uint32(b[1])<<8 | uint32(b[0]))}},
			&ir.Instruction{Opcode: "WORD", Operands: []operand.Op{operand.U16(uint16(b[5])<<8 | uint16(b[4]))}})
	}
	f.Nodes = nodes
	return nil
}

// dotBytes encodes VDPBF16PS of 512 bits between registers 0 to 31: EVEX.512.F3.0F38.W0 52 /r. The prefix has the upper two bits of
// each register's number, inverted. (Intel, Software Developer's Manual, volume 2, 2.7)
func dotBytes(rm, v, r byte) [6]byte {
	bit := func(x byte, n int) byte { return x >> n & 1 }
	return [6]byte{
		0x62,
		0xf2 ^ bit(r, 3)<<7 ^ bit(rm, 4)<<6 ^ bit(rm, 3)<<5 ^ bit(r, 4)<<4, // R X B R', opcodes of 0F38
		0x7e ^ v&15<<3,      // W0, vvvv, F3
		0x48 ^ bit(v, 4)<<3, // 512 bits, V', no mask
		0x52,
		0xc0 | r&7<<3 | rm&7, // registers r and rm
	}
}
