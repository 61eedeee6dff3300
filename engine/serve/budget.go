package serve

import "github.com/llamakit/llamakit/engine"

// readBudget reads how many tokens the reasoning may take: -1 is any number, 0 none.
func (s *Server) readBudget(o *object, r *engine.Request) {
	r.ReasoningLimit, r.ReasoningEnd = s.options.ReasoningLimit, s.options.ReasoningEnd
	for _, name := range []string{"reasoning_budget_tokens", "thinking_budget_tokens"} {
		if n := 0; o.int(name, &n, -1, maxInt) {
			r.ReasoningLimit = engine.ReasoningLimit(n)
		}
	}
	o.str("reasoning_budget_message", &r.ReasoningEnd)
	if r.ReasoningLimit < 0 {
		r.Template.Thinking = engine.ThinkingOff
	}
}
