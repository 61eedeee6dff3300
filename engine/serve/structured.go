package serve

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/grammar"
)

// structure is what a request asks of the form of its answer. It is read by every endpoint that generates, before anything is
// queued. What cannot be enforced is refused, or with "strict": false told in the answer, never ignored: an answer in another
// form than was asked for is worse than none.
type structure struct {
	grammar  *grammar.Grammar // nil: any form
	calls    *calls.Form      // instead, with tools
	source   string           // in GBNF, where the request has that
	asked    string           // the field that asks; "": none
	format   json.RawMessage  // as it was asked for, to be told back
	warnings []string

	triggers  []engine.Trigger // begin the grammar late
	told      json.RawMessage  // as they were asked for
	preserved []engine.Token   // control tokens that are shown
}

// Limits of what an answer says of a schema.
const (
	maxWarnings = 100
	maxReason   = 400 // bytes
)

// anyObject is the schema of response_format json_object.
const anyObject = `{"type": "object"}`

// readStructure is readForm for endpoints that take no tools.
func (s *Server) readStructure(o *object, m *engine.Model, p *params) error {
	if err := s.readForm(o, m, p); err != nil {
		return err
	}
	return refuseTools(o)
}

// readForm reads grammar, json_schema, response_format and text.format.
func (s *Server) readForm(o *object, m *engine.Model, p *params) (err error) {
	f, strict := &p.form, true
	o.bool("strict", &strict)
	o.str("grammar", &f.source)
	f.readLazy(o, m)
	if f.source != "" && o.err == nil {
		f.asked = "grammar"
		if f.grammar, err = s.grammars.gbnf(f.source, m.Vocab()); err != nil {
			return badRequest("field 'grammar': %s", shortened(err.Error()))
		}
	}
	if data, ok := o.raw("json_schema"); ok && o.err == nil {
		err = s.useSchema(f, "json_schema", data, strict)
	}
	if err == nil {
		err = s.readFormat(o, "response_format", f)
	}
	if text := o.object("text"); text != nil && err == nil { // of the responses API
		err = s.readFormat(text, "format", f)
	}
	if f.asked == "" {
		f.grammar = s.options.Grammar
	}
	if err == nil && len(f.triggers) > 0 && f.asked == "" {
		return badRequest("field 'grammar_lazy' is true, but there is no grammar")
	}
	if err != nil {
		return err
	}
	return o.err
}

// readFormat reads an object with type, and schema, strict and name where it is json_schema, which OpenAI has in an object within.
func (s *Server) readFormat(o *object, name string, f *structure) error {
	format := o.object(name)
	if format == nil {
		return o.err
	}
	f.format, _ = o.raw(name)
	kind, strict := "", true
	if format.str("type", &kind); format.err != nil {
		return format.err
	}
	path := o.path + name
	switch kind {
	case "text":
		return f.ask(path)
	case "json_object", "json_schema":
	default:
		return badRequest("field '%s.type' must be text, json_object or json_schema", path)
	}
	if inner := format.object("json_schema"); inner != nil {
		path, format = path+".json_schema", inner
	}
	data, ok := format.raw("schema")
	if format.bool("strict", &strict); format.err != nil {
		return format.err
	}
	switch {
	case ok:
		return s.useSchema(f, path+".schema", data, strict)
	case kind == "json_object":
		return s.useSchema(f, path, []byte(anyObject), strict)
	}
	return badRequest("field '%s.schema' is required", path)
}

// ask notes the field that asks for a form: there can be one only.
func (f *structure) ask(path string) error {
	if f.asked != "" {
		return badRequest("fields '%s' and '%s' both ask for a form of the answer: give one", f.asked, path)
	}
	f.asked = path
	return nil
}

func (s *Server) useSchema(f *structure, path string, data json.RawMessage, strict bool) (err error) {
	if err = f.ask(path); err != nil {
		return err
	}
	if f.grammar, err = s.grammars.schema(data, strict); err != nil {
		return badRequest("field '%s' cannot be enforced: %s", path, shortened(strings.TrimPrefix(err.Error(), "schema: ")))
	}
	for i, n := range f.grammar.Notices() {
		if i == maxWarnings {
			f.warnings = append(f.warnings, fmt.Sprintf("field '%s': %d more keywords are not enforced", path, len(f.grammar.Notices())-i))
			break
		}
		f.warnings = append(f.warnings, fmt.Sprintf("field '%s': %s", path, shortened(fmt.Sprintf("%s: %s is not enforced: %s", n.Pointer, n.Keyword, n.Reason))))
	}
	return nil
}

// shortened bounds a text that has names of a stranger's choice in it.
func shortened(text string) string {
	if len(text) > maxReason {
		return strings.ToValidUTF8(text[:maxReason/2], "") + "..." + strings.ToValidUTF8(text[len(text)-maxReason/2:], "")
	}
	return text
}
