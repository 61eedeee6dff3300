package chat

// Closing is the text that ends the reasoning which the answer is in; "" where it is not in one.
func (s *Splitter) Closing() string {
	switch c := s.channels; {
	case c != nil && c.state == inBody && c.part() == 1:
		return "<|end|><|start|>assistant<|channel|>final<|message|>"
	case c == nil && s.stage == inReasoning:
		return s.close
	}
	return ""
}
