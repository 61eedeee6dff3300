package torch

import (
	"math"

	"github.com/llamakit/llamakit/formats/internal/escape"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// Values of a pickle, beside nil, bool, int64, float64 and string.
type (
	global string // "module.name"
	tuple  []any
	list   struct{ items []any }
	mark   struct{}
	dict   struct {
		keys  []string
		items map[string]any
	}
	storage struct {
		dtype safetensors.DType
		key   string // name of the file that has the bytes
	}
	ref struct { // a tensor
		storage *storage
		offset  int64
		shape   []int
		stride  []int64
	}
)

// Functions that a pickle of tensors calls.
const (
	orderedDict      = global("collections.OrderedDict")
	rebuildTensor    = global("torch._utils._rebuild_tensor_v2")
	rebuildParameter = global("torch._utils._rebuild_parameter")
)

// name pushes a function or a type that a pickle of tensors may refer to.
func (m *machine) name(module, name string) {
	g := global(module + "." + name)
	_, isStorage := storages[name]
	if g != orderedDict && g != rebuildTensor && g != rebuildParameter && !(module == "torch" && isStorage) {
		m.fail(ErrUnsupported, "it refers to %s, which is not needed for tensors and was not looked at", escape.Quote(string(g), 80))
	}
	m.push(g)
}

// persistent makes a storage of ('storage', type, key, device, count).
func (m *machine) persistent(v any) {
	t, _ := v.(tuple)
	if len(t) != 5 || t[0] != "storage" {
		m.fail(ErrUnsupported, "a reference that is no storage")
		return
	}
	kind, _ := t[1].(global)
	key, ok := t[2].(string)
	name := string(kind)[min(len(kind), len("torch.")):]
	if dtype, known := storages[name]; known && ok {
		m.push(&storage{dtype: dtype, key: key})
		return
	}
	m.fail(ErrUnsupported, "a storage of type %s", escape.Quote(string(kind), 80))
}

// call does what the known functions do.
func (m *machine) call(f, args any) {
	t, ok := args.(tuple)
	g, _ := f.(global)
	switch {
	case ok && g == orderedDict && len(t) == 0:
		m.push(&dict{items: map[string]any{}})
	case ok && g == rebuildParameter && len(t) > 0:
		m.push(t[0])
	case ok && g == rebuildTensor && len(t) >= 4:
		m.push(m.rebuild(t))
	default:
		m.fail(ErrUnsupported, "a call of %s that does not make a tensor", kind(f))
	}
}

// rebuild makes a tensor of (storage, offset, shape, strides, ...).
func (m *machine) rebuild(t tuple) *ref {
	s, ok := t[0].(*storage)
	offset, isInt := t[1].(int64)
	shape, a := t[2].(tuple)
	stride, b := t[3].(tuple)
	r := &ref{storage: s, offset: offset}
	good := ok && isInt && a && b && offset >= 0 && len(shape) == len(stride)
	for i := 0; good && i < len(shape); i++ {
		n, isSize := shape[i].(int64)
		step, isStep := stride[i].(int64)
		good = isSize && isStep && n >= 0 && n <= math.MaxInt32
		r.shape, r.stride = append(r.shape, int(n)), append(r.stride, step)
	}
	if !good {
		m.fail(ErrCorrupt, "a tensor without storage, or whose shape is no list of sizes")
	}
	return r
}

// set puts pairs of key and value into the dictionary on top of the stack.
func (m *machine) set(pairs []any) {
	v := m.pop()
	m.push(v)
	d, ok := v.(*dict)
	if !ok || len(pairs)%2 != 0 {
		m.fail(ErrCorrupt, "pairs for what is no dictionary")
		return
	}
	for i := 0; i < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			m.fail(ErrUnsupported, "a dictionary whose keys are no texts")
			return
		}
		if _, known := d.items[key]; !known {
			d.keys = append(d.keys, key)
		}
		d.items[key] = pairs[i+1]
	}
}

// extend appends to the list on top of the stack.
func (m *machine) extend(items []any) {
	v := m.pop()
	m.push(v)
	if l, ok := v.(*list); ok {
		l.items = append(l.items, items...)
		return
	}
	m.fail(ErrCorrupt, "items for what is no list")
}
