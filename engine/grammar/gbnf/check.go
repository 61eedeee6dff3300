package gbnf

// grammar is the rules with what is known of them.
type grammar struct {
	text  string
	rules []rule
	index map[string]int

	nullable  []bool // matches the empty text
	ends      []bool // matches some text
	recursive []bool // leads back to itself
}

func (g *grammar) fail(at, r int, reason string) {
	p := parser{text: g.text, rule: g.rules[r].name}
	p.fail(at, reason)
}

// resolve names the rules and finds those that are missing or defined twice.
func (g *grammar) resolve() {
	g.index = make(map[string]int)
	for i, r := range g.rules {
		if _, ok := g.index[r.name]; ok {
			g.fail(r.at, i, "the rule is defined twice")
		}
		g.index[r.name] = i
	}
	for i, r := range g.rules {
		r.body.walk(func(it *item) {
			if _, ok := g.index[it.text]; it.kind == itemRule && !ok {
				g.fail(it.at, i, "rule "+it.text+" is not defined")
			}
		})
	}
	if _, ok := g.index["root"]; !ok {
		(&parser{text: g.text}).fail(0, "there is no rule root")
	}
}

// fixpoint finds the rules that have a property, where a sequence has it when all its items have it.
func (g *grammar) fixpoint(literal func(*item) bool) []bool {
	users := make([][]int, len(g.rules))
	for i, r := range g.rules {
		r.body.walk(func(it *item) {
			if it.kind == itemRule {
				users[g.index[it.text]] = append(users[g.index[it.text]], i)
			}
		})
	}
	has := make([]bool, len(g.rules))
	todo := make([]int, len(g.rules))
	for i := range todo {
		todo[i] = len(todo) - 1 - i
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !has[i] && g.any(g.rules[i].body, has, literal) {
			has[i] = true
			todo = append(todo, users[i]...)
		}
	}
	return has
}

func (g *grammar) any(a alternatives, has []bool, literal func(*item) bool) bool {
	for _, seq := range a {
		if g.all(seq, has, literal) {
			return true
		}
	}
	return false
}

func (g *grammar) all(seq sequence, has []bool, literal func(*item) bool) bool {
	for i := range seq {
		if !g.one(&seq[i], has, literal) {
			return false
		}
	}
	return true
}

func (g *grammar) one(it *item, has []bool, literal func(*item) bool) bool {
	switch {
	case it.min == 0:
		return true
	case it.kind == itemRule:
		return has[g.index[it.text]]
	case it.kind == itemGroup:
		return g.any(it.group, has, literal)
	}
	return literal(it)
}

// analyse finds what is nullable, what ends, and refuses left recursion.
func (g *grammar) analyse() {
	empty := func(it *item) bool { return it.kind == itemLiteral && it.text == "" }
	g.nullable = g.fixpoint(empty)
	g.ends = g.fixpoint(func(*item) bool { return true })
	left := search{g: g, each: func(r int, f func(*item)) { g.leftmost(g.rules[r].body, empty, f) }}
	left.found = func(r int, it *item) {
		g.fail(it.at, r, "left recursion: "+it.text+" can begin with itself; let the repeated part come first, or use *")
	}
	left.run()
	if root := g.index["root"]; !g.ends[root] {
		g.fail(g.rules[root].at, root, "no text matches: every way goes on for ever")
	}
	g.recursive = make([]bool, len(g.rules))
	all := search{g: g, each: func(r int, f func(*item)) { g.rules[r].body.walk(f) }}
	all.found = func(_ int, it *item) { g.recursive[g.index[it.text]] = true }
	all.run()
}

// leftmost calls f for the items that a text of a can begin with.
func (g *grammar) leftmost(a alternatives, empty func(*item) bool, f func(*item)) {
	for _, seq := range a {
		for i := range seq {
			f(&seq[i])
			g.leftmost(seq[i].group, empty, f)
			if !g.one(&seq[i], g.nullable, empty) {
				break
			}
		}
	}
}

// search visits the rules depth first and reports references to a rule that is being visited.
type search struct {
	g     *grammar
	each  func(rule int, f func(*item))
	found func(rule int, it *item)
	state []uint8 // 0 not yet, 1 now, 2 done
}

func (s *search) run() {
	s.state = make([]uint8, len(s.g.rules))
	for r := range s.g.rules {
		s.visit(r)
	}
}

func (s *search) visit(r int) {
	if s.state[r] != 0 {
		return
	}
	s.state[r] = 1
	s.each(r, func(it *item) {
		if it.kind != itemRule {
			return
		}
		if to := s.g.index[it.text]; s.state[to] == 1 {
			s.found(r, it)
		} else {
			s.visit(to)
		}
	})
	s.state[r] = 2
}
