package perplexity
import "context"
func (o *options) hellaSwag(ctx context.Context) error {return nil}
func (o *options) winoGrande(ctx context.Context) error {return nil}
func (o *options) multipleChoice(ctx context.Context) error {return nil}
func (o *options) comparison(ctx context.Context) error {return nil}
