package jinja

import (
	"math"
	"math/big"
	"strings"
)

// getAttr is v.name. As in Jinja2 the attribute comes first (so d.items is the method, whatever keys d has) and the
// item of that name second.
func (s *state) getAttr(v Value, name string) Value {
	if d, ok := v.(*Dict); ok { // the common case, without a look at the other types
		if _, isMethod := dictMethods[name]; !isMethod {
			if x, ok := d.Get(name); ok {
				return x
			}
		}
	}
	if u, ok := v.(*Undefined); ok {
		s.failUndefined(u)
	}
	if x, ok := s.attribute(v, name); ok {
		return x
	}
	if d, ok := v.(*Dict); ok {
		if x, ok := d.Get(name); ok {
			return x
		}
	}
	return &Undefined{name: name, owner: ownerName(v)}
}

// attribute looks a name up among the methods and fields of v's type.
func (s *state) attribute(v Value, name string) (Value, bool) {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return unsafeAttr(v, name), true
	}
	switch v := v.(type) {
	case string, Markup:
		return s.methodOf(v, strMethods, name)
	case *Dict:
		return s.methodOf(v, dictMethods, name)
	case *List:
		return s.methodOf(v, listMethods, name)
	case Tuple:
		return s.tupleAttr(v, name)
	case *rangeValue:
		return s.methodOf(v, tupleMethods, name)
	case *namespace:
		return v.attrs.Get(name)
	case *loop:
		return v.attr(s, name)
	case *macro:
		return v.attr(name)
	case bool, int64, *big.Int, float64:
		return s.numberAttr(v, name)
	case *cycler:
		return v.attr(name)
	case Bytes:
		return s.methodOf(v, bytesMethods, name)
	}
	return nil, false
}

// unsafeAttr stands for an attribute that a template may name but not use.
func unsafeAttr(v Value, name string) *Undefined {
	hint := "access to attribute '" + name + "' of '" + typeName(v) + "' object is unsafe."
	return &Undefined{name: name, hint: hint, unsafe: true}
}

// methodOf binds a method. Those that change their object exist only when Options allow it.
func (s *state) methodOf(v Value, table map[string]*builtin, name string) (Value, bool) {
	b, ok := table[name]
	if !ok {
		return nil, false
	}
	if b.mutates && !s.opts.Lenient {
		return unsafeAttr(v, name), true
	}
	return &method{v, b}, true
}

// tupleAttr also knows the two names of what groupby gives.
func (s *state) tupleAttr(t Tuple, name string) (Value, bool) {
	if len(t) == 2 {
		switch name {
		case "grouper":
			return t[0], true
		case "list":
			return t[1], true
		}
	}
	return s.methodOf(t, tupleMethods, name)
}

func (s *state) numberAttr(v Value, name string) (Value, bool) {
	_, isFloat := v.(float64)
	switch name {
	case "real":
		if b, ok := v.(bool); ok {
			n, _ := smallInt(b)
			return n, true
		}
		return v, true
	case "imag":
		if isFloat {
			return 0.0, true
		}
		return int64(0), true
	case "is_integer":
		if isFloat {
			return &method{v, isInteger}, true
		}
	case "bit_length":
		if !isFloat {
			return &method{v, bitLength}, true
		}
	}
	return nil, false
}

var isInteger = fn("float.is_integer", "self", func(s *state, a []Value) Value {
	f := a[0].(float64)
	return f == math.Trunc(f) && !math.IsInf(f, 0)
})

var bitLength = fn("int.bit_length", "self", func(s *state, a []Value) Value {
	n, _ := toBig(a[0])
	return int64(n.BitLen())
})
