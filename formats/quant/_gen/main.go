// Command _gen writes the assembly of package quant, one part (a file) a run.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var parts = map[string]func(){"half": halfPart, "trial": trialPart, "round": roundPart}

func main() {
	part := flag.String("part", "", "which file to write")
	flag.Parse()
	emit := parts[*part]
	if emit == nil {
		fmt.Fprintf(os.Stderr, "_gen: no part %q\n", *part)
		os.Exit(2)
	}
	ConstraintExpr("amd64,!purego")
	emit()
	Generate()
}

const (
	nosplit     = 4
	rodataNoPtr = 8 | 16
	roundEven   = 8 // VROUNDPS, VRNDSCALEPS: to nearest even, exceptions suppressed
	lessThan    = 1 // VCMPPD
)

// isa is a tier's vector unit, with its number of float32 lanes.
type isa struct {
	name  string
	lanes int
}

var (
	avx2   = isa{"AVX2", 8}
	avx512 = isa{"AVX512", 16}
)

func (v isa) wide() bool { return v.lanes == 16 }

func (v isa) reg() VecVirtual {
	if v.wide() {
		return ZMM()
	}
	return YMM()
}

// round rounds to integers, halves to even.
func (v isa) round(r VecVirtual) {
	if v.wide() {
		VRNDSCALEPS(U8(roundEven), r, r)
	} else {
		VROUNDPS(U8(roundEven), r, r)
	}
}

// text begins a function.
func text(name, signature, doc string) {
	TEXT(name, nosplit, signature)
	Doc(doc)
	Pragma("noescape")
}

func end() {
	VZEROUPPER()
	RET()
}

func at(base Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

func zero(r VecVirtual) { VXORPS(r, r, r) }

// broadcast repeats a float32 parameter in every lane.
func (v isa) broadcast(name string) VecVirtual {
	m, r := v.reg(), Load(Param(name), XMM())
	VBROADCASTSS(r, m)
	return m
}

// repeat loads a float32 from memory into every lane.
func (v isa) repeat(m Mem) VecVirtual {
	r := v.reg()
	VBROADCASTSS(m, r)
	return r
}

var tables = map[string]Mem{}

// table is a constant that data fills, made once.
func table(name string, data func()) Mem {
	m, ok := tables[name]
	if !ok {
		m = GLOBL(name, rodataNoPtr)
		data()
		tables[name] = m
	}
	return m
}
