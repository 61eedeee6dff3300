package flags

import "github.com/llamakit/llamakit/engine"

// ReasoningBudget stores a number of tokens, -1 and up, as engine.Request.ReasoningLimit has it.
func ReasoningBudget(p *int) Value {
	return Func(func(text string) error {
		var n int
		err := Int(&n, -1, 1<<30).Set(text)
		if err == nil {
			*p = engine.ReasoningLimit(n)
		}
		return err
	})
}
