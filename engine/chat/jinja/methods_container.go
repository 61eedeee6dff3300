package jinja

// The methods of list, tuple and dict. Those marked as changing their object exist only with Options.Lenient.
var listMethods, tupleMethods, dictMethods map[string]*builtin

func init() {
	tupleMethods = map[string]*builtin{
		"count": fn("count", "self, value", seqCount),
		"index": fn("index", "self, value, start=0, stop=none", seqIndex),
	}
	listMethods = map[string]*builtin{
		"count":   tupleMethods["count"],
		"index":   tupleMethods["index"],
		"copy":    fn("list.copy", "self", func(s *state, a []Value) Value { return s.list(clone(a[0].(*List).Items)) }),
		"append":  changes(fn("list.append", "self, value", listAppend)),
		"extend":  changes(fn("list.extend", "self, values", listExtend)),
		"insert":  changes(fn("list.insert", "self, index, value", listInsert)),
		"pop":     changes(fn("list.pop", "self, index=-1", listPop)),
		"remove":  changes(fn("list.remove", "self, value", listRemove)),
		"clear":   changes(fn("list.clear", "self", listClear)),
		"reverse": changes(fn("list.reverse", "self", listReverse)),
		"sort":    changes(fn("list.sort", "self, key=none, reverse=false", listSort)),
	}
	dictMethods = map[string]*builtin{
		"get":    fn("dict.get", "self, key, default=none", dictGet),
		"keys":   fn("dict.keys", "self", func(_ *state, a []Value) Value { return &view{a[0].(*Dict), 'k'} }),
		"values": fn("dict.values", "self", func(_ *state, a []Value) Value { return &view{a[0].(*Dict), 'v'} }),
		"items":  fn("dict.items", "self", func(_ *state, a []Value) Value { return &view{a[0].(*Dict), 'i'} }),
		"copy": fn("dict.copy", "self", func(s *state, a []Value) Value {
			s.reserve(3 * itemBytes * a[0].(*Dict).Len())
			return a[0].(*Dict).clone()
		}),
		"fromkeys":   fn("dict.fromkeys", "self, keys, value=none", dictFromKeys),
		"pop":        changes(rawFn("dict.pop", dictPop)),
		"popitem":    changes(fn("dict.popitem", "self", dictPopItem)),
		"setdefault": changes(fn("dict.setdefault", "self, key, default=none", dictSetDefault)),
		"update":     changes(rawFn("dict.update", dictUpdate)),
		"clear":      changes(fn("dict.clear", "self", dictClear)),
	}
}

func changes(b *builtin) *builtin {
	b.mutates = true
	return b
}

func clone(items []Value) []Value { return append([]Value{}, items...) }

func seqCount(s *state, a []Value) Value {
	n := int64(0)
	for _, v := range s.items(a[0]) {
		if s.equal(v, a[1]) {
			n++
		}
	}
	return n
}

func seqIndex(s *state, a []Value) Value {
	items := s.items(a[0])
	lo, ok1 := sliceInt(a[2], 0)
	hi, ok2 := sliceInt(a[3], int64(len(items)))
	if !ok1 || !ok2 {
		s.failf(RuntimeError, "slice indices must be integers")
	}
	n := int64(len(items))
	for i := clampIndex(lo, n, 0, n); i < clampIndex(hi, n, 0, n); i++ {
		if s.equal(items[i], a[1]) {
			return i
		}
	}
	s.failf(RuntimeError, "%s is not in list", s.repr(a[1]))
	return nil
}

func listAppend(s *state, a []Value) Value {
	l := a[0].(*List)
	s.reserveItem(len(l.Items))
	l.Items = append(l.Items, a[1])
	return nil
}

func listExtend(s *state, a []Value) Value {
	l := a[0].(*List)
	more := clone(s.items(a[1]))
	s.reserve(itemBytes * (len(l.Items) + len(more)))
	l.Items = append(l.Items, more...)
	return nil
}

func listInsert(s *state, a []Value) Value {
	l := a[0].(*List)
	n := int64(len(l.Items))
	s.reserve(itemBytes * int(n+1))
	i := clampIndex(int64(s.wantInt(a[1], "insert")), n, 0, n)
	l.Items = append(clone(l.Items[:i]), append([]Value{a[2]}, l.Items[i:]...)...)
	return nil
}

func listPop(s *state, a []Value) Value {
	l := a[0].(*List)
	i, ok := wrapIndex(int64(s.wantInt(a[1], "pop")), len(l.Items))
	if !ok {
		s.failf(RuntimeError, "pop index out of range")
	}
	v := l.Items[i]
	s.spend(len(l.Items) / 4)
	l.Items = append(clone(l.Items[:i]), l.Items[i+1:]...)
	return v
}

func listRemove(s *state, a []Value) Value {
	i := seqIndex(s, []Value{a[0], a[1], nil, nil}).(int64)
	listPop(s, []Value{a[0], i})
	return nil
}

func listClear(_ *state, a []Value) Value {
	a[0].(*List).Items = nil
	return nil
}

func listReverse(s *state, a []Value) Value {
	l := a[0].(*List)
	s.reserve(itemBytes * len(l.Items))
	l.Items = clone(l.Items)
	reverse(l.Items)
	return nil
}

func listSort(s *state, a []Value) Value {
	if a[1] != nil {
		s.failf(RuntimeError, "list.sort: key functions are not supported, use the filter sort")
	}
	l := a[0].(*List)
	l.Items = s.sorted(l.Items, func(v Value) Value { return v }, s.truth(a[2]))
	return nil
}

func dictGet(s *state, a []Value) Value {
	d := a[0].(*Dict)
	if i := d.find(s.hashKey(a[1])); i >= 0 {
		return d.entries[i].value
	}
	return a[2]
}

func dictFromKeys(s *state, a []Value) Value {
	d := NewDict()
	for _, k := range s.items(a[1]) {
		s.reserve(3 * itemBytes)
		d.put(s.hashKey(k), k, a[2])
	}
	return d
}

func dictPop(s *state, a *callArgs) Value {
	if len(a.pos) < 2 || len(a.pos) > 3 {
		s.failf(RuntimeError, "dict.pop takes a key and perhaps a default")
	}
	d := a.pos[0].(*Dict)
	i := d.find(s.hashKey(a.pos[1]))
	if i < 0 && len(a.pos) == 3 {
		return a.pos[2]
	}
	if i < 0 {
		s.failf(RuntimeError, "no key %s to pop", s.repr(a.pos[1]))
	}
	v := d.entries[i].value
	s.spend(d.Len())
	d.remove(i)
	return v
}

func dictPopItem(s *state, a []Value) Value {
	d := a[0].(*Dict)
	if d.Len() == 0 {
		s.failf(RuntimeError, "popitem: the dict is empty")
	}
	e := d.entries[d.Len()-1]
	s.spend(d.Len())
	d.remove(d.Len() - 1)
	return Tuple{e.key, e.value}
}

func dictSetDefault(s *state, a []Value) Value {
	d := a[0].(*Dict)
	hash := s.hashKey(a[1])
	if i := d.find(hash); i >= 0 {
		return d.entries[i].value
	}
	s.reserve(3 * itemBytes)
	d.put(hash, a[1], a[2])
	return a[2]
}

func dictUpdate(s *state, a *callArgs) Value {
	d := a.pos[0].(*Dict)
	for _, v := range a.pos[1:] {
		s.updateDict(d, v)
	}
	s.updateDict(d, a.dict())
	return nil
}

// updateDict adds the entries of a dict, or of an iterable of pairs.
func (s *state) updateDict(d *Dict, v Value) {
	if from, ok := v.(*Dict); ok {
		s.reserve(3 * itemBytes * from.Len())
		for _, e := range append([]entry(nil), from.entries...) {
			d.put(e.hash, e.key, e.value)
		}
		return
	}
	for _, item := range s.items(v) {
		pair := s.firstItems(item, 2)
		if len(pair) != 2 {
			s.failf(RuntimeError, "a dict is made of pairs, got %d elements", len(pair))
		}
		s.reserve(3 * itemBytes)
		d.put(s.hashKey(pair[0]), pair[0], pair[1])
	}
}

func dictClear(_ *state, a []Value) Value {
	*a[0].(*Dict) = Dict{}
	return nil
}
