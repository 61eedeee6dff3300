package grammar

import (
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// FromSchema compiles a JSON Schema: the texts are the JSON values that it allows, as schema.Options has them written. An
// error about a keyword is a *schema.Error.
func FromSchema(data []byte, o schema.Options) (*Grammar, error) {
	b := pushdown.NewBuilder()
	root, notices, err := schema.Compile(b, data, o)
	if err != nil {
		return nil, err
	}
	g, err := New(b, root)
	if err != nil {
		return nil, &schema.Error{Keyword: "schema", Reason: err.Error()}
	}
	g.notices = notices
	return g, nil
}

// Notices name the keywords of the schema that are not enforced: unknown ones, and with schema.Options.Lenient also those
// that cannot be.
func (g *Grammar) Notices() []schema.Notice { return g.notices }
