package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A panel is one superblock of 32 weight rows, unpacked: 256 weights as [64][32 rows][4] bytes, then the scales.
const (
	panelRows = 32
	panelStep = 4 * panelRows   // bytes of 4 weights of every row
	panelEnd  = 256 * panelRows // where the scales begin
)

// gemmArgs is the signature of the panel kernels: tiles times tokens rows of activations, actStride bytes apart, with
// one panel: dst[i][r] = fma(dx[i], the superblock's sum, src[i][r]). Strides are in bytes. Meanwhile the first tile fetches
// 64*aheadStep bytes from ahead on.
const gemmArgs = "func(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)"

// tile is the state of a panel kernel: tokens by 32 rows (AVX-512) or by 16 rows (AVX2) at a time.
type tile struct {
	width
	tokens           int
	panel, act       Register
	stride           [3]Register // of activations: 1, 3 and 5 rows
	p, a             Register    // run through the panel and the activations of one tile
	ahead, aheadStep Register    // runs through what is fetched
	t, f             [][2]VecVirtual
	w                [2]VecVirtual // weights
	b                VecVirtual    // an activation, broadcast
}

// begin loads the arguments and opens the loop over tiles.
func newTile(w width, base string, tokens int) *tile {
	w.begin(base, gemmArgs)
	k := &tile{width: w, tokens: tokens}
	k.panel = Load(Param("panel"), GP64())
	k.act = Load(Param("act"), GP64())
	k.stride[0] = Load(Param("actStride"), GP64())
	k.ahead = Load(Param("ahead"), GP64())
	k.aheadStep = Load(Param("aheadStep"), GP64())
	for i, scale := range []uint8{2, 4} {
		if tokens > 2*i+3 {
			k.stride[i+1] = GP64()
			LEAQ(Mem{Base: k.stride[0], Index: k.stride[0], Scale: scale}, k.stride[i+1])
		}
	}
	for range tokens {
		k.t = append(k.t, [2]VecVirtual{w.reg(), w.reg()})
		k.f = append(k.f, [2]VecVirtual{w.reg(), w.reg()})
	}
	k.w = [2]VecVirtual{w.reg(), w.reg()}
	k.b = w.reg()
	k.p, k.a = GP64(), GP64()
	return k
}

// token is the memory disp bytes into the record of token i, relative to the register a.
func (k *tile) token(a Register, i, disp int) Mem {
	m := Mem{Base: a, Disp: disp}
	switch i {
	case 1, 2, 4:
		m.Index, m.Scale = k.stride[0], uint8(i)
	case 3, 5:
		m.Index, m.Scale = k.stride[i/2], 1
	}
	return m
}

// each calls do for every accumulator of the tile.
func (k *tile) each(do func(i, h int)) {
	for i := range k.tokens {
		for h := range 2 {
			do(i, h)
		}
	}
}

// row is vector h of a row of 32 (or the kernel's half of them) in the panel, relative to p.
func (k *tile) row(p Register, disp, h int) Mem { return at(p, disp+k.bytes()*h) }

// weights loads 4 weights of every row. It is called 64 times a tile, and fetches a piece of what comes later each time: so
// many requests at once as a whole superblock makes would stop the processor.
func (k *tile) weights(step int) {
	PREFETCHT1(at(k.ahead, 0))
	PREFETCHT1(at(k.ahead, 64))
	ADDQ(k.aheadStep, k.ahead)
	for h := range 2 {
		k.mov(k.row(k.p, panelStep*step, h), k.w[h])
	}
}

// dot4 adds the products of 4 weights and 4 activations to t, as AVX-512 does: weights unsigned, exact.
func (k *tile) dot4(step int) {
	k.weights(step)
	for i := range k.tokens {
		VPBROADCASTD(k.token(k.a, i, 4*step), k.b)
		for h := range 2 {
			VPDPBUSD(k.b, k.w[h], k.t[i][h])
		}
	}
}

// centre starts every t at a token's dword at disp.
func (k *tile) centre(a Register, disp int) {
	for i := range k.tokens {
		VPBROADCASTD(k.token(a, i, disp), k.t[i][0])
		k.mov(k.t[i][0], k.t[i][1])
	}
}

func (k *tile) clear(v [][2]VecVirtual) {
	for _, r := range v {
		k.zero(r[0], r[1])
	}
}

// store adds the superblock to the results: dst = fma(dx, f, src), with the tokens' scales at disp. It clobbers b and w. Where the next
// tile writes is fetched: rows of results lie far apart.
func (k *tile) store(disp int) {
	s, d, later := Load(Param("src"), GP64()), Load(Param("dst"), GP64()), GP64()
	MOVQ(argument("dstStride"), later)
	IMUL3Q(Imm(uint64(k.tokens)), later, later)
	ADDQ(d, later)
	for i := range k.tokens {
		VBROADCASTSS(k.token(k.act, i, disp), k.b)
		for h := range 2 {
			VMOVUPS(at(s, k.bytes()*h), k.w[h])
			VFMADD231PS(k.b, k.f[i][h], k.w[h])
			VMOVUPS(k.w[h], at(d, k.bytes()*h))
		}
		for h := range k.bytes() * 2 / 64 {
			PREFETCHT0(at(later, 64*h))
		}
		ADDQ(argument("srcStride"), s)
		ADDQ(argument("dstStride"), d)
		ADDQ(argument("dstStride"), later)
	}
	Store(s, Param("src"))
	Store(d, Param("dst"))
}

// argument is the memory of an argument.
func argument(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// next goes to the next tile.
func (k *tile) next() {
	LEAQ(Mem{Base: k.act, Index: k.stride[0], Scale: map[int]uint8{6: 4, 4: 4, 3: 2, 2: 2}[k.tokens]}, k.act)
	switch k.tokens {
	case 6:
		LEAQ(Mem{Base: k.act, Index: k.stride[0], Scale: 2}, k.act)
	case 3:
		ADDQ(k.stride[0], k.act)
	}
	MOVQ(k.panel, k.ahead)
	XORQ(k.aheadStep, k.aheadStep)
	DECQ(argument("tiles"))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// unpackArgs is the signature of the kernels that make a panel of one superblock of 32 rows, stride bytes apart.
const unpackArgs = "func(w *byte, stride int, panel *byte)"

// unpacker is the state of such a kernel. It unpacks as many rows as a vector has dwords, to the start of every row
// of the panel, then as many more.
type unpacker struct {
	width
	rows
	panel, p Register // the panel's start, and a pointer into it
	v, tmp   []VecVirtual
}

// unpack writes such a kernel: begin runs once, then part n times, with the rows moved on by source bytes each time, and p
// by dest.
func unpack(w width, name string, begin func(u *unpacker), n, source, dest int, part func(u *unpacker)) {
	w.begin(name, unpackArgs)
	wt := Load(Param("w"), GP64())
	stride := Load(Param("stride"), GP64())
	unpackRows(w, wt, stride, Load(Param("panel"), GP64()), begin, n, source, dest, part)
}

// unpackRows is its body.
func unpackRows(w width, wt, stride, panel Register, begin func(u *unpacker), n, source, dest int, part func(u *unpacker)) {
	u := &unpacker{width: w, panel: panel, p: GP64(), v: w.regs(4), tmp: w.regs(4)}
	more, i, from := GP64(), GP64(), GP64()
	MOVQ(U32(uint32(panelRows/w.rows())), more)
	Label("rows")
	MOVQ(wt, from)
	u.rows = newRows(from, stride, w.rows())
	begin(u)
	MOVQ(u.panel, u.p)
	MOVQ(U32(uint32(n)), i)
	Label("part")
	part(u)
	for _, b := range u.base {
		ADDQ(U32(uint32(source)), b)
	}
	ADDQ(U32(uint32(dest)), u.p)
	DECQ(i)
	JNZ(LabelRef("part"))
	for range w.rows() / 8 {
		LEAQ(Mem{Base: wt, Index: stride, Scale: 8}, wt)
	}
	ADDQ(U32(uint32(w.bytes())), u.panel)
	DECQ(more)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// store writes 4 weights of every row, step steps after p.
func (u *unpacker) store(v Op, step int) { u.mov(v, at(u.p, panelStep*step)) }
