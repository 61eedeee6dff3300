package serve

import (
	"math"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/vocab"
)

// heldPart is what a stream has of a job but has not sent: tokens whose text is not certain yet, as within a character.
type heldPart struct {
	tokens []engine.Token
	probs  []sample.TokenProbs
}

// take returns what is held and forgets it.
func (h *heldPart) take() heldPart {
	part := *h
	*h = heldPart{}
	return part
}

// readProbs reads n_probs, llama.cpp's, and logprobs, which is a number in the legacy API and a switch in that of chat.
func (p *params) readProbs(o *object, m *engine.Model) {
	n, vocabulary := -1, int64(m.Info().Vocabulary)
	if o.int("n_probs", &n, -1, vocabulary); n > 0 {
		p.probs, p.topProbs = true, n
	}
	o.bool("post_sampling_probs", &p.probsDrawn)
	data, ok := o.raw("logprobs")
	if ok && kindOf(data) == "a number" {
		p.probs = o.int("logprobs", &p.topProbs, 0, vocabulary)
		return
	}
	on := false
	if o.bool("logprobs", &on); on {
		p.probs = true
	}
	if o.has("top_logprobs") && !on {
		o.fail("top_logprobs", "needs 'logprobs' to be true")
	}
	o.int("top_logprobs", &p.topProbs, 0, vocabulary)
}

// tokenProb is a token with its probability, as llama.cpp and OpenAI show it.
type tokenProb struct {
	ID      engine.Token `json:"id"`
	Token   string       `json:"token"`
	Bytes   []int        `json:"bytes"`
	Logprob *float32     `json:"logprob,omitempty"`
	Prob    *float32     `json:"prob,omitempty"` // instead of Logprob, where it is that after the samplers
	Top     []tokenProb  `json:"top_logprobs,omitempty"`
	TopProb []tokenProb  `json:"top_probs,omitempty"`
}

// leastLogprob stands for minus infinity, which JSON lacks.
const leastLogprob = -math.MaxFloat32

func oneProb(v *vocab.Vocab, p sample.Prob, drawn bool) tokenProb {
	out := tokenProb{ID: p.Token, Bytes: []int{}}
	if v != nil {
		piece := v.Piece(p.Token, false)
		out.Token = string([]rune(string(piece))) // bytes of a part of a character become U+FFFD
		for _, b := range piece {
			out.Bytes = append(out.Bytes, int(b))
		}
	}
	logprob := max(p.Logprob, leastLogprob)
	if drawn {
		prob := float32(math.Exp(float64(logprob)))
		out.Prob = &prob
	} else {
		out.Logprob = &logprob
	}
	return out
}

// probsJSON are probabilities of tokens in the shape of chat completions; nil when none were asked for.
func (p *params) probsJSON(v *vocab.Vocab, probs []sample.TokenProbs) []tokenProb {
	if !p.probs {
		return nil
	}
	out := []tokenProb{}
	for _, t := range probs {
		one := oneProb(v, t.Prob, p.probsDrawn)
		top := []tokenProb{}
		for _, other := range t.Top {
			top = append(top, oneProb(v, other, p.probsDrawn))
		}
		if p.probsDrawn {
			one.TopProb = top
		} else {
			one.Top = top
		}
		out = append(out, one)
	}
	return out
}

// chatLogprobs is the field logprobs of the chat completions API.
type chatLogprobs struct {
	Content []tokenProb `json:"content"`
}

func (p *params) chatLogprobs(v *vocab.Vocab, probs []sample.TokenProbs) *chatLogprobs {
	if !p.probs || len(probs) == 0 {
		return nil
	}
	return &chatLogprobs{p.probsJSON(v, probs)}
}

// textLogprobs is the field logprobs of the legacy completions API: a list a property.
type textLogprobs struct {
	Tokens   []string             `json:"tokens"`
	Logprobs []float32            `json:"token_logprobs"`
	Top      []map[string]float32 `json:"top_logprobs"`
	Offsets  []int                `json:"text_offset"`
}

// textLogprobs begins at an offset of the answer in bytes, and moves it on.
func (p *params) textLogprobs(v *vocab.Vocab, probs []sample.TokenProbs, offset *int) *textLogprobs {
	if !p.probs || len(probs) == 0 {
		return nil
	}
	out := &textLogprobs{}
	for _, t := range probs {
		one := oneProb(v, t.Prob, false)
		top := map[string]float32{}
		for _, other := range t.Top {
			o := oneProb(v, other, false)
			top[o.Token] = *o.Logprob
		}
		out.Tokens = append(out.Tokens, one.Token)
		out.Logprobs = append(out.Logprobs, *one.Logprob)
		out.Top = append(out.Top, top)
		out.Offsets = append(out.Offsets, *offset)
		*offset += len(one.Bytes)
	}
	return out
}
