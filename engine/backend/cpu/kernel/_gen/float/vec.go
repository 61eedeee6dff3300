package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// elementwise is an operation that treats the elements of its rows one by one.
type elementwise struct {
	name   string
	rows   []string // the first one is written; dst is also read when it appears twice
	params []string // float32 arguments
	doc    string
	// body returns the result for one vector of each input row; params are broadcast.
	body func(v isa, in, params []VecVirtual) VecVirtual
}

var elementwiseOps = []elementwise{
	{"add", rows("a", "b"), nil, "dst[i] = a[i] + b[i]", func(v isa, in, _ []VecVirtual) VecVirtual {
		VADDPS(in[1], in[0], in[0])
		return in[0]
	}},
	{"mul", rows("a", "b"), nil, "dst[i] = a[i] * b[i]", func(v isa, in, _ []VecVirtual) VecVirtual {
		VMULPS(in[1], in[0], in[0])
		return in[0]
	}},
	{"addMul", rows("dst", "a", "b"), nil, "dst[i] = fma(a[i], b[i], dst[i])", func(v isa, in, _ []VecVirtual) VecVirtual {
		VFMADD231PS(in[1], in[2], in[0])
		return in[0]
	}},
	{"scale", rows("x"), []string{"s"}, "dst[i] = x[i] * s", func(v isa, in, p []VecVirtual) VecVirtual {
		VMULPS(p[0], in[0], in[0])
		return in[0]
	}},
	{"addScaled", rows("dst", "x"), []string{"s"}, "dst[i] = fma(s, x[i], dst[i])", func(v isa, in, p []VecVirtual) VecVirtual {
		VFMADD231PS(p[0], in[1], in[0])
		return in[0]
	}},
	{"mulScaled", rows("x", "w"), []string{"s"}, "dst[i] = (x[i] * s) * w[i]", func(v isa, in, p []VecVirtual) VecVirtual {
		VMULPS(p[0], in[0], in[0])
		VMULPS(in[1], in[0], in[0])
		return in[0]
	}},
	{"center", rows("x"), []string{"mean", "s"}, "dst[i] = (x[i] - mean) * s", func(v isa, in, p []VecVirtual) VecVirtual {
		VSUBPS(p[0], in[0], in[0])
		VMULPS(p[1], in[0], in[0])
		return in[0]
	}},
	{"reluSqr", rows("x"), nil, "dst[i] = max(x[i], 0)^2", func(v isa, in, _ []VecVirtual) VecVirtual {
		z := v.reg()
		zero(z)
		VMAXPS(in[0], z, in[0]) // a NaN comes from the last source, which is x
		VMULPS(in[0], in[0], in[0])
		return in[0]
	}},
	{"sigmoid", rows("x"), nil, "dst[i] = 1 / (1 + exp(-x[i]))", func(v isa, in, _ []VecVirtual) VecVirtual {
		one := v.reg()
		VMOVUPS(f32(1), one)
		return v.gated(one, in[0])
	}},
	{"silu", rows("x"), nil, "dst[i] = x[i] / (1 + exp(-x[i]))", func(v isa, in, _ []VecVirtual) VecVirtual {
		return v.gated(in[0], in[0])
	}},
	{"siluMul", rows("gate", "up"), nil, "dst[i] = silu(gate[i]) * up[i]", func(v isa, in, _ []VecVirtual) VecVirtual {
		return times2(v.gated(in[0], in[0]), in[1])
	}},
	{"gelu", rows("x"), nil, "dst[i] = gelu(x[i])", func(v isa, in, _ []VecVirtual) VecVirtual {
		return v.gelu(in[0])
	}},
	{"geluMul", rows("gate", "up"), nil, "dst[i] = gelu(gate[i]) * up[i]", func(v isa, in, _ []VecVirtual) VecVirtual {
		return times2(v.gelu(in[0]), in[1])
	}},
	{"geluQuickMul", rows("gate", "up"), nil, "dst[i] = gate[i] / (1 + exp(-1.702*gate[i])) * up[i]", func(v isa, in, _ []VecVirtual) VecVirtual {
		y := v.reg()
		VMULPS(f32(geluQuick), in[0], y)
		return times2(v.gated(in[0], y), in[1])
	}},
	{"softplus", rows("x"), nil, "dst[i] = log(1 + exp(x[i]))", func(v isa, in, _ []VecVirtual) VecVirtual {
		return v.softplus(in[0])
	}},
	{"tanh", rows("x"), nil, "dst[i] = tanh(x[i])", func(v isa, in, _ []VecVirtual) VecVirtual {
		return v.tanh(in[0])
	}},
	{"softCap", rows("x"), []string{"limit", "inverse"}, "dst[i] = limit * tanh(x[i] * inverse)", func(v isa, in, p []VecVirtual) VecVirtual {
		VMULPS(p[1], in[0], in[0])
		return times2(v.tanh(in[0]), p[0])
	}},
}

// rows lists the rows of an operation: dst is written, the others are read.
func rows(in ...string) []string { return in }

func times2(a, b VecVirtual) VecVirtual {
	VMULPS(b, a, a)
	return a
}

func elementwisePart(ops []elementwise) {
	for _, op := range ops {
		for _, v := range tiers {
			op.emit(v)
		}
	}
}

func (op elementwise) signature() string {
	s := "func(dst"
	for _, r := range op.rows {
		if r != "dst" {
			s += ", " + r
		}
	}
	s += " []float32"
	for _, p := range op.params {
		s += ", " + p + " float32"
	}
	return s + ")"
}

func (op elementwise) emit(v isa) {
	text(op.name+v.name, op.signature(), "For every i: "+op.doc+".")
	base := map[string]Register{"dst": Load(Param("dst").Base(), GP64())}
	for _, r := range op.rows {
		if r != "dst" {
			base[r] = Load(Param(r).Base(), GP64())
		}
	}
	var params []VecVirtual
	for _, p := range op.params {
		params = append(params, v.broadcast(p))
	}
	v.loop(Load(Param("dst").Len(), GP64()), func(i Register, k *mask) {
		var in []VecVirtual
		for _, r := range op.rows {
			x := v.reg()
			v.loadAt(base[r], i, k, x)
			in = append(in, x)
		}
		v.storeAt(op.body(v, in, params), base["dst"], i, k)
	})
	end()
}

// broadcast fills a register with a float32 argument.
func (v isa) broadcast(param string) VecVirtual {
	r := v.reg()
	VBROADCASTSS(argument(param), r)
	return r
}

// loop runs body for i = 0, lanes, ... while whole vectors of the n elements are left (mask nil), then once with a mask
// for the rest. It uses n up.
func (v isa) loop(n Register, body func(i Register, k *mask)) {
	i := GP64()
	XORQ(i, i)
	Label("vectors")
	CMPQ(n, Imm(uint64(v.lanes)))
	JL(LabelRef("rest"))
	body(i, nil)
	ADDQ(Imm(uint64(v.lanes)), i)
	SUBQ(Imm(uint64(v.lanes)), n)
	JMP(LabelRef("vectors"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	k := v.newMask(n)
	body(i, &k)
	Label("done")
}

func (v isa) loadAt(base, i Register, k *mask, r VecVirtual) {
	if k == nil {
		VMOVUPS(indexed(base, i, 4), r)
	} else {
		k.load(indexed(base, i, 4), r)
	}
}

func (v isa) storeAt(r VecVirtual, base, i Register, k *mask) {
	if k == nil {
		VMOVUPS(r, indexed(base, i, 4))
	} else {
		k.store(r, indexed(base, i, 4))
	}
}
