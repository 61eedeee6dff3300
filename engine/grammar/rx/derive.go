package rx

// Step returns what has to follow after b for a text of e: Nothing when b leads to no end. Its cost is that of a table once
// it has been asked.
func (a *Arena) Step(e ID, b byte) ID { return a.stepClass(e, a.classes.of[b]) }

func (a *Arena) stepClass(e ID, class uint8) ID {
	row := a.rows[e]
	if row == nil {
		row = make([]ID, len(a.classes.first))
		a.rows[e] = row
	}
	if row[class] == 0 {
		d := a.derive(e, a.classes.first[class])
		if !a.Alive(d) {
			d = Nothing
		}
		row[class] = d + 1
		return d
	}
	return row[class] - 1
}

// derive is the derivative, which may be Nothing in disguise.
func (a *Arena) derive(e ID, b byte) ID {
	n := a.nodes[e]
	switch n.kind {
	case kindSet:
		if n.set.Has(b) {
			return Empty
		}
		return Nothing
	case kindCat:
		d := a.cat(a.derive(n.a, b), n.b)
		if a.nodes[n.a].nullable {
			d = a.Alt(d, a.derive(n.b, b))
		}
		return d
	case kindAlt:
		return a.Alt(a.deriveAll(n.list, b)...)
	case kindAnd:
		list := make([]ID, len(n.list))
		for i, e := range n.list {
			if list[i] = a.derive(e, b); list[i] == Nothing {
				return Nothing
			}
		}
		return a.And(list...)
	case kindNot:
		return a.Not(a.derive(n.a, b))
	case kindRepeat:
		rest := n.max
		if rest != Unbounded {
			rest--
		}
		d := a.derive(n.a, b)
		if d == Nothing {
			return Nothing
		}
		return a.cat(d, a.Repeat(n.a, int(max(n.min-1, 0)), int(rest)))
	case kindMultiple:
		return a.deriveMultiple(n.multiple, b)
	}
	return Nothing
}

// Match reports whether e matches text.
func (a *Arena) Match(e ID, text string) bool {
	for i := 0; i < len(text) && e != Nothing; i++ {
		e = a.Step(e, text[i])
	}
	return a.nodes[e].nullable
}

func (a *Arena) deriveAll(list []ID, b byte) []ID {
	out := make([]ID, len(list))
	for i, e := range list {
		out[i] = a.derive(e, b)
	}
	return out
}

// Texts returns the texts of e in order, if they are known to be finitely many, and at most limit.
func (a *Arena) Texts(e ID, limit int) ([]string, bool) {
	if !a.nodes[e].finite {
		return nil, false
	}
	var out []string
	ok := a.texts(e, nil, limit, &out)
	return out, ok
}

func (a *Arena) texts(e ID, prefix []byte, limit int, out *[]string) bool {
	if a.Nullable(e) {
		if len(*out) == limit {
			return false
		}
		*out = append(*out, string(prefix))
	}
	for b := range 256 {
		if d := a.Step(e, byte(b)); d != Nothing && !a.texts(d, append(prefix, byte(b)), limit, out) {
			return false
		}
	}
	return true
}
