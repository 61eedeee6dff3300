package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// schemaNode is a schema: a boolean or an object.
type schemaNode struct {
	*value
	pointer string
	root    *schemaNode // with the $id that references start from
	base    *url.URL    // of root
}

// document is the schemas of a text by what they can be called.
type document struct {
	nodes map[*value]*schemaNode
	ids   map[string]*schemaNode // absolute, with #anchor where it is one
	old   bool                   // draft 7 or earlier: $ref hides its siblings
}

// Where schemas are inside schemas.
var (
	schemaMaps  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	schemaLists = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	schemaOne   = []string{"additionalProperties", "propertyNames", "unevaluatedProperties", "items", "additionalItems", "contains",
		"unevaluatedItems", "not", "if", "then", "else", "contentSchema"}
)

func newDocument(root *value) *document {
	d := &document{nodes: make(map[*value]*schemaNode), ids: make(map[string]*schemaNode)}
	if s := root.get("$schema"); s != nil {
		for _, draft := range []string{"draft-03", "draft-04", "draft-05", "draft-06", "draft-07"} {
			d.old = d.old || strings.Contains(s.text, draft)
		}
	}
	d.visit(root, "", nil)
	return d
}

func (d *document) visit(v *value, pointer string, root *schemaNode) {
	if v == nil || v.kind != isObject && v.kind != isBool || d.nodes[v] != nil {
		return
	}
	n := d.add(v, pointer, root)
	for _, k := range schemaMaps {
		if m := v.get(k); m != nil && m.kind == isObject {
			for _, name := range m.keys {
				d.visit(m.get(name), pointer+"/"+k+"/"+escapePointer(name), n.root)
			}
		}
	}
	for _, k := range schemaLists {
		if l := v.get(k); l != nil && l.kind == isArray {
			for i, x := range l.items {
				d.visit(x, pointer+"/"+k+"/"+strconv.Itoa(i), n.root)
			}
		}
	}
	for _, k := range schemaOne {
		d.visit(v.get(k), pointer+"/"+k, n.root)
	}
}

// add makes the node of v and notes its names.
func (d *document) add(v *value, pointer string, root *schemaNode) *schemaNode {
	n := &schemaNode{value: v, pointer: pointer, root: root}
	d.nodes[v] = n
	base := &url.URL{Path: "/"}
	if root != nil {
		base = root.base
	}
	id := v.get("$id")
	if id == nil && d.old {
		id = v.get("id")
	}
	if id != nil && id.kind == isString {
		if u, err := base.Parse(id.text); err == nil {
			if d.old && strings.HasPrefix(id.text, "#") {
				d.ids[u.String()] = n
			} else {
				u.Fragment = ""
				n.base, root = u, nil
				d.ids[u.String()] = n
			}
		}
	}
	if root == nil {
		n.root = n
		if n.base == nil {
			n.base = base
		}
	}
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if a := v.get(k); a != nil && a.kind == isString {
			d.ids[n.root.base.String()+"#"+a.text] = n
		}
	}
	return n
}

// find returns the schema that a reference from n leads to, or a reason why there is none.
func (d *document) find(n *schemaNode, ref string) (*schemaNode, string) {
	u, err := n.root.base.Parse(ref)
	if err != nil {
		return nil, "this is no URI reference"
	}
	if x, ok := d.ids[u.String()]; ok && u.Fragment != "" {
		return x, ""
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	root := n.root
	if u.String() != root.base.String() {
		var ok bool
		if root, ok = d.ids[u.String()]; !ok {
			return nil, "remote references are not fetched: " + ref
		}
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return nil, "there is no anchor " + fragment
	}
	return d.walk(root, fragment)
}

// walk follows a JSON pointer from root.
func (d *document) walk(root *schemaNode, pointer string) (*schemaNode, string) {
	v, at := root.value, root.pointer
	if pointer == "" {
		return root, ""
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		at += "/" + part
		var next *value
		switch key := unescapePointer(part); v.kind {
		case isObject:
			next = v.get(key)
		case isArray:
			if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v.items) {
				next = v.items[i]
			}
		}
		if next == nil {
			return nil, "there is nothing at #" + pointer
		}
		v = next
	}
	if v.kind != isObject && v.kind != isBool {
		return nil, "what is at #" + pointer + " is no schema"
	}
	if d.nodes[v] == nil {
		d.visit(v, at, root)
	}
	return d.nodes[v], ""
}

// dynamic reports whether a dynamic reference can lead to several places.
func (d *document) dynamic(ref string) bool {
	_, name, _ := strings.Cut(ref, "#")
	places := 0
	for v := range d.nodes {
		a, r := v.get("$dynamicAnchor"), v.get("$recursiveAnchor")
		if a != nil && a.text == name && name != "" || r != nil && r.yes && name == "" {
			places++
		}
	}
	return places > 1
}
