package serve

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine"
)

// OfferTools lets a request call tools as the chat completions API does it: tools is a JSON array of their definitions. The
// model is told of them, and its calls take the form that their schemas want.
func OfferTools(m *engine.Model, r *engine.Request, tools json.RawMessage) error {
	body, err := json.Marshal(map[string]json.RawMessage{"tools": tools})
	if err != nil {
		return badRequest("the tools are not JSON: %v", err)
	}
	o, err := parseObject("", body)
	if err != nil {
		return err
	}
	p := &params{callFormat: m.TemplateFor(r).CallFormat()}
	if err := offering.readTools(o, p, chatTool); err != nil || p.tools == nil {
		return err
	}
	r.Template.Tools, r.Calls = p.tools.all, p.form.calls
	return nil
}

// offering remembers the tools that OfferTools was given.
var offering grammars
