package perplexity
import "context"
func (o *options) comparison(ctx context.Context) error {return nil}
