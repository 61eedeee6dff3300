package chat

import (
	"context"
	"errors"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// renderTools renders a conversation with tools. Their definitions need no more than a name: where the template fails at what they
// lack it gets it, and where it fails nevertheless, as some do at "type": ["string", "null"], the tools are told in text.
func (t *Template) renderTools(ctx context.Context, in Input) (string, error) {
	text, err := t.renderAdapted(ctx, in)
	if !failed(err) || len(in.Tools) == 0 {
		return text, err
	}
	whole := in
	whole.wholeTools = true
	if text, err := t.renderAdapted(ctx, whole); !failed(err) {
		return text, err
	}
	plain := *t
	plain.caps.Tools = false
	if text, err := plain.renderAdapted(ctx, in); !failed(err) {
		return text, err
	}
	return "", err
}

// failed reports that a template could not go on, for other reasons than that it was told to stop or refused to.
func failed(err error) bool {
	var e *jinja.Error
	return errors.As(err, &e) && e.Kind != jinja.RaisedError && e.Kind != jinja.CanceledError
}

// renderAdapted renders a conversation with tools in the form that the template can show. An error names the message as it was given.
func (t *Template) renderAdapted(ctx context.Context, in Input) (string, error) {
	from, err := t.adapt(&in)
	if err != nil {
		return "", err
	}
	text, err := t.renderInput(ctx, in)
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Message >= 0 {
		refusal.Message = from[refusal.Message]
	}
	return text, err
}

// complete gives definitions of tools the fields that templates count on.
func complete(tools *jinja.List) {
	for _, item := range tools.Items {
		tool, _ := item.(*jinja.Dict)
		function := field(tool, "function", nil)
		field(function, "description", "")
		parameters := field(function, "parameters", jinja.NewDict())
		field(parameters, "type", "object")
		properties := field(parameters, "properties", jinja.NewDict())
		for i := 0; properties != nil && i < properties.Len(); i++ {
			_, value := properties.At(i)
			property, _ := value.(*jinja.Dict)
			field(property, "description", "")
		}
	}
}

// field is a field of an object, which it gets where it lacks it, as an object; nil where either is none.
func field(of *jinja.Dict, name string, missing jinja.Value) *jinja.Dict {
	if of == nil {
		return nil
	}
	value, _ := of.Get(name)
	if value == nil {
		of.Set(name, missing)
		value = missing
	}
	object, _ := value.(*jinja.Dict)
	return object
}
