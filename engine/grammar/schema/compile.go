package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Compile makes the expression of the values that data, a JSON Schema, allows. The notices name what is not enforced. An
// error about a keyword is an *Error.
func Compile(b *pushdown.Builder, data []byte, o Options) (e pushdown.Expr, notices []Notice, err error) {
	root, err := parseSchema(data)
	if err != nil {
		return 0, nil, err
	}
	c := newCompiler(b, newDocument(root), o)
	start, err := c.begin(root)
	if err != nil {
		return 0, nil, err
	}
	return c.call(start), c.notices, nil
}

func parseSchema(data []byte) (*value, error) {
	root, err := parse(data)
	if err == nil && root.kind != isObject && root.kind != isBool {
		err = errors.New("schema: a schema is an object or a boolean")
	}
	return root, err
}

// begin explores all that the whole schema leads to.
func (c *compiler) begin(root *value) (start conj, err error) {
	if start, err = c.of(c.doc.nodes[root], false); err == nil {
		err = c.explore(start)
	}
	if err == nil && !c.conjs[start].possible {
		err = c.impossible(start)
	}
	return start, err
}

// literal is a schema, or what it refuses.
type literal struct {
	node *schemaNode
	not  bool
}

// conj is a conjunction of literals: what a value has to satisfy. Equal conjunctions are equal numbers.
type conj int32

const (
	truth conj = iota // no literals
	falsehood
)

// conjunction is what is known of a conj.
type conjunction struct {
	literals []literal
	shape    *shape
	busy     bool // its shape is being made
	possible bool // a value satisfies it
	rule     pushdown.Rule
	emitted  bool
}

type compiler struct {
	b       *pushdown.Builder
	rx      *rx.Arena
	text    *text
	num     *numbers
	layout  layout
	doc     *document
	lenient bool
	notices []Notice

	numbers map[literal]int32 // to key conjunctions
	conjs   []conjunction
	index   map[string]conj
	shapes  map[literal]*shape
	busy    map[literal]bool
	exact   map[*value]*value // schemas of constants
	formats map[string]rx.ID
	pattern map[string]rx.ID
}

func newCompiler(b *pushdown.Builder, doc *document, o Options) *compiler {
	c := &compiler{b: b, rx: b.RX, text: newText(b.RX, o.Style), num: newNumbers(b.RX), layout: o.Style.styled(b.RX, newLayout(b.RX, o)), doc: doc, lenient: o.Lenient,
		numbers: make(map[literal]int32), index: make(map[string]conj), shapes: make(map[literal]*shape), busy: make(map[literal]bool),
		exact: make(map[*value]*value), formats: make(map[string]rx.ID), pattern: make(map[string]rx.ID)}
	c.conjs = make([]conjunction, 2)
	c.conjs[falsehood].shape = &shape{}
	c.index[""] = truth
	for i := range c.conjs {
		c.conjs[i].rule = b.Rule()
	}
	return c
}

// fail makes the error of a keyword of n.
func fail(n *schemaNode, keyword, format string, args ...any) error {
	return &Error{Pointer: n.pointer, Keyword: keyword, Reason: fmt.Sprintf(format, args...)}
}

// of is the conjunction of one schema.
func (c *compiler) of(n *schemaNode, not bool) (conj, error) {
	if n.kind == isBool {
		if n.yes != not {
			return truth, nil
		}
		return falsehood, nil
	}
	return c.conj([]literal{{n, not}})
}

// sub is the conjunction of a schema inside n.
func (c *compiler) sub(n *schemaNode, keyword string, v *value, not bool) (conj, error) {
	s, err := c.node(n, keyword, v)
	if err != nil {
		return 0, err
	}
	return c.of(s, not)
}

// node returns the node of a value that has to be a schema.
func (c *compiler) node(n *schemaNode, keyword string, v *value) (*schemaNode, error) {
	if v.kind != isObject && v.kind != isBool {
		return nil, fail(n, keyword, "a schema is an object or a boolean")
	}
	s := c.doc.nodes[v]
	if s == nil { // made here, from const
		c.doc.visit(v, n.pointer, n.root)
		s = c.doc.nodes[v]
	}
	return s, nil
}

// and is the conjunction of both.
func (c *compiler) and(x, y conj) (conj, error) {
	switch {
	case x == y || y == truth:
		return x, nil
	case x == truth:
		return y, nil
	case x == falsehood || y == falsehood:
		return falsehood, nil
	}
	return c.conj(append(slices.Clone(c.conjs[x].literals), c.conjs[y].literals...))
}

func (c *compiler) conj(list []literal) (conj, error) {
	for _, l := range list {
		if _, ok := c.numbers[l]; !ok {
			c.numbers[l] = int32(len(c.numbers))
		}
		if _, ok := c.numbers[literal{l.node, !l.not}]; ok && slices.Contains(list, literal{l.node, !l.not}) {
			return falsehood, nil
		}
	}
	// Literals keep their order, which is that of members; the key does not.
	unique := slices.Clone(list)[:0]
	for _, l := range list {
		if !slices.Contains(unique, l) {
			unique = append(unique, l)
		}
	}
	sorted := slices.SortedFunc(slices.Values(unique), func(x, y literal) int { return int(c.numbers[x] - c.numbers[y]) })
	var key []byte
	for _, l := range sorted {
		key = binary.LittleEndian.AppendUint32(key, uint32(c.numbers[l]))
	}
	if x, ok := c.index[string(key)]; ok {
		return x, nil
	}
	if len(c.conjs) >= maxConjunctions {
		return 0, fail(list[0].node, "$ref", "the schema's parts combine in more than %d ways", maxConjunctions)
	}
	x := conj(len(c.conjs))
	c.conjs = append(c.conjs, conjunction{literals: unique, rule: c.b.Rule()})
	c.index[string(key)] = x
	return x, nil
}

// shapeOf returns the values of a conjunction.
func (c *compiler) shapeOf(x conj) (*shape, error) {
	if s := c.conjs[x].shape; s != nil {
		return s, nil
	}
	s := c.everything()
	for _, l := range c.conjs[x].literals {
		one, err := c.literal(l)
		if err == nil {
			s, err = c.intersect(s, one)
		}
		if err != nil {
			return nil, blame(err, l.node, "allOf")
		}
	}
	c.conjs[x].shape = s
	return s, nil
}

// literal returns the values that a schema allows or, with not, refuses.
func (c *compiler) literal(l literal) (*shape, error) {
	if s := c.shapes[l]; s != nil {
		return s, nil
	}
	if c.busy[l] {
		return nil, fail(l.node, "$ref", "the reference leads back to itself")
	}
	c.busy[l] = true
	defer delete(c.busy, l)
	make := c.allowed
	if l.not {
		make = c.refused
	}
	s, err := make(l.node)
	if err == nil {
		c.shapes[l] = s
	}
	return s, err
}

// unsupported drops a keyword with a notice where that is wanted, and else is the error.
func (c *compiler) unsupported(err error) error {
	var e *Error
	if !c.lenient || !errors.As(err, &e) {
		return err
	}
	c.notice(e.Pointer, e.Keyword, e.Reason)
	return nil
}

func (c *compiler) notice(pointer, keyword, reason string) {
	n := Notice{display(pointer), keyword, reason}
	if !slices.Contains(c.notices, n) {
		c.notices = append(c.notices, n)
	}
}

// explore makes the shapes of everything that x leads to, and finds what can be satisfied.
func (c *compiler) explore(x conj) error {
	found := []conj{x}
	seen := map[conj]bool{x: true}
	for i := 0; i < len(found); i++ {
		s, err := c.shapeOf(found[i])
		if err != nil {
			return err
		}
		children, err := c.children(s)
		if err != nil {
			return err
		}
		for _, y := range children {
			if !seen[y] {
				seen[y] = true
				found = append(found, y)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, y := range slices.Backward(found) {
			if q := &c.conjs[y]; !q.possible && c.possible(q.shape) {
				q.possible, changed = true, true
			}
		}
	}
	return nil
}

// impossible is the error of a conjunction that no value satisfies, at the innermost member that is to blame.
func (c *compiler) impossible(x conj) error {
	for depth := 0; depth < maxDepth; depth++ {
		next := c.culprit(x)
		if next == x {
			break
		}
		x = next
	}
	reason := "no value satisfies the schema"
	if c.rx.TooLarge() {
		reason = "what is allowed is too complex to be found out"
	}
	if len(c.conjs[x].literals) == 0 {
		return &Error{Keyword: "false", Reason: reason}
	}
	n := c.conjs[x].literals[0].node
	keyword := "not"
	if list := c.keywords(n); len(list) > 0 {
		keyword = list[0]
	}
	return fail(n, keyword, "%s", reason)
}

// culprit returns the value of a member that keeps x from being satisfied, or x.
func (c *compiler) culprit(x conj) conj {
	s := c.conjs[x].shape
	if len(s.objects) != 1 || len(s.arrays) > 0 {
		return x
	}
	for _, p := range s.objects[0].props {
		if p.required && !c.conjs[p.value].possible && len(c.conjs[p.value].literals) > 0 && c.conjs[p.value].shape != nil {
			return p.value
		}
	}
	return x
}
