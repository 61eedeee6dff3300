package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// answer answers a request: as text, streamed, or as JSON lines. It returns what came.
func (o *options) answer(ctx context.Context, from source.Source, r source.Request, s streams) (enginechat.Message, error) {
	said := enginechat.Message{Role: "assistant"}
	doubleBOS(s.err, from, r)
	var p printer = &textPrinter{w: s.out, safe: terminal.Is(s.out)}
	if o.json {
		p = &jsonPrinter{w: bufio.NewWriter(s.out)}
	}
	var calls []enginechat.CallDelta
	for e, err := range from.Generate(ctx, r) {
		if err != nil {
			p.end()
			return said, err
		}
		said.Content += e.Text
		said.Reasoning += e.Reasoning
		calls = append(calls, e.Calls...)
		if err := p.event(e.Event); err != nil {
			return said, err
		}
		if e.Result != nil && !o.json {
			p.end()
			if o.timings {
				speed(s.err, e.Result)
			}
		}
	}
	cut := ""
	if said.ToolCalls, cut = toolcall.Calls(calls, r.Messages); cut != "" {
		fmt.Fprintf(s.err, "note: a call of %s was cut off\n", printable.Line(cut))
	}
	return said, nil
}

// doubleBOS warns of a prompt that would begin with two tokens of the beginning.
func doubleBOS(w io.Writer, from source.Source, r source.Request) {
	l, ok := from.(source.Local)
	if !ok || l.Model.Vocab() == nil {
		return
	}
	if _, tokens, err := l.Model.Prompt(r.Request); err == nil && l.Model.Vocab().DoubleBOS(tokens) {
		fmt.Fprintln(w, "note: the prompt begins with BOS, and another one is added")
	}
}

// speed is the line that llama-cli ends an answer with.
func speed(w io.Writer, r *engine.Result) {
	fmt.Fprintf(w, "\n[ Prompt: %.1f t/s | Generation: %.1f t/s ]\n", r.PromptSpeed(), r.GenerateSpeed())
}

// printer writes an answer as it comes.
type printer interface {
	event(e engine.Event) error
	end()
}

// textPrinter writes plain text. Reasoning stands between its own lines, as llama-cli marks it.
type textPrinter struct {
	w         io.Writer
	safe      bool // a terminal: control codes are shown, not obeyed
	reasoning bool
	wrote     bool
}

func (p *textPrinter) event(e engine.Event) error {
	if e.Reasoning != "" && !p.reasoning {
		p.reasoning = true
		if err := p.write("[Start thinking]\n"); err != nil {
			return err
		}
	}
	if err := p.write(e.Reasoning); err != nil {
		return err
	}
	if e.Text != "" && p.reasoning {
		p.reasoning = false
		if err := p.write("\n[End thinking]\n\n"); err != nil {
			return err
		}
	}
	return p.write(e.Text)
}

func (p *textPrinter) write(text string) error {
	if text == "" {
		return nil
	}
	p.wrote = true
	if p.safe {
		text = printable.Text(text)
	}
	_, err := io.WriteString(p.w, text)
	return err
}

func (p *textPrinter) end() {
	if p.wrote {
		p.wrote = false
		io.WriteString(p.w, "\n") // an error here was one before
	}
}

// jsonPrinter writes one object a line.
type jsonPrinter struct{ w *bufio.Writer }

// jsonEvent is a piece of an answer.
type jsonEvent struct {
	Tokens    []engine.Token `json:"tokens"`
	Text      string         `json:"text"`
	Reasoning string         `json:"reasoning,omitempty"`
}

// jsonResult is the last line.
type jsonResult struct {
	Stop     engine.StopReason `json:"stop"`
	StopText string            `json:"stop_text,omitempty"`
	Timings  jsonTimings       `json:"timings"`
}

// jsonTimings has llama.cpp's field names.
type jsonTimings struct {
	CacheN             int     `json:"cache_n"`
	PromptN            int     `json:"prompt_n"`
	PromptMS           float64 `json:"prompt_ms"`
	PromptPerSecond    float64 `json:"prompt_per_second"`
	PredictedN         int     `json:"predicted_n"`
	PredictedMS        float64 `json:"predicted_ms"`
	PredictedPerSecond float64 `json:"predicted_per_second"`
}

func (p *jsonPrinter) event(e engine.Event) error {
	if len(e.Tokens) > 0 || e.Text != "" || e.Reasoning != "" {
		tokens := e.Tokens
		if tokens == nil {
			tokens = []engine.Token{}
		}
		if err := p.line(jsonEvent{tokens, e.Text, e.Reasoning}); err != nil {
			return err
		}
	}
	r := e.Result
	if r == nil {
		return nil
	}
	return p.line(jsonResult{Stop: r.Stop, StopText: r.StopText, Timings: jsonTimings{
		CacheN: r.CachedTokens, PromptN: r.PromptTokens - r.CachedTokens, PromptMS: 1e3 * r.PromptTime.Seconds(), PromptPerSecond: r.PromptSpeed(),
		PredictedN: r.GeneratedTokens, PredictedMS: 1e3 * r.GenerateTime.Seconds(), PredictedPerSecond: r.GenerateSpeed()}})
}

func (p *jsonPrinter) line(v any) error {
	enc := json.NewEncoder(p.w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return p.w.Flush()
}

// end says that the answer was cut off: an error follows on stderr.
func (p *jsonPrinter) end() {
	p.line(jsonResult{Stop: "cancelled"}) // an error here was one before
}
