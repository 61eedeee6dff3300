package debug

import (
	"context"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/debug/remote"
	"github.com/llamakit/llamakit/tui/source"
)

// connect asks the server instead of a model here.
func (o *options) connect(ctx context.Context) (debug.Runner, error) {
	s, err := source.Connect(ctx, o.url, o.key)
	if err != nil {
		return nil, err
	}
	return remote.New(s, run.Version()), nil
}
