package flags

import "github.com/llamakit/llamakit/engine"

// Reasoning stores on, off or auto: whether a template is asked for a reasoning phase.
func Reasoning(p *engine.Thinking) Value {
	return Func(func(text string) error {
		var word string
		err := OneOf(&word, "on", "off", "auto").Set(text)
		if err == nil {
			*p = map[string]engine.Thinking{"on": engine.ThinkingOn, "off": engine.ThinkingOff, "auto": engine.ThinkingAuto}[word]
		}
		return err
	})
}

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
