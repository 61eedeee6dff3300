package serve

import (
	"bufio"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// errNoVocab answers what needs a tokenizer.
var errNoVocab = unsupported("this model has no tokenizer that is known here")

// tokenize answers POST /tokenize.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	v := m.Vocab()
	if v == nil {
		return errNoVocab
	}
	special, parse, pieces := false, true, false
	o.bool("add_special", &special)
	o.bool("parse_special", &parse)
	o.bool("with_pieces", &pieces)
	tokens, err := readContent(o, func(text string, first bool) ([]engine.Token, error) {
		return v.Encode(text, vocab.EncodeOptions{AddSpecial: special && first, ParseSpecial: parse}), nil
	})
	if err != nil {
		return err
	}
	if !pieces {
		writeJSON(w, http.StatusOK, map[string]any{"tokens": tokens})
		return nil
	}
	return writePieces(w, v, tokens)
}

// writePieces answers with tokens and their texts. It sends them as it goes: in memory they would be some hundred bytes each.
func writePieces(w http.ResponseWriter, v *vocab.Vocab, tokens []engine.Token) error {
	w.Header().Set("Content-Type", jsonType)
	out := bufio.NewWriter(patient{w})
	between := ""
	out.WriteString(`{"tokens":[`)
	for _, t := range tokens {
		data, err := marshal(map[string]any{"id": t, "piece": pieceJSON(v.Piece(t, true))})
		if err != nil {
			return err
		}
		out.WriteString(between)
		out.Write(data)
		between = ","
	}
	out.WriteString("]}")
	return out.Flush()
}

// readContent reads a text, or texts mixed with tokens.
func readContent(o *object, encode encoder) ([]engine.Token, error) {
	if data, ok := o.raw("content"); ok && kindOf(data) == "an array" && o.err == nil {
		return readTokens("content", data, encode)
	}
	text := ""
	if o.read("content", "a string, or an array of texts and tokens", &text); o.err != nil {
		return nil, o.err
	}
	tokens, err := encode(text, true)
	return append([]engine.Token{}, tokens...), err
}

// pieceJSON is text, or its bytes where they are a part of a character.
func pieceJSON(piece []byte) any {
	if utf8.Valid(piece) {
		return string(piece)
	}
	bytes := make([]int, len(piece))
	for i, b := range piece {
		bytes[i] = int(b)
	}
	return bytes
}

// detokenize answers POST /detokenize.
func (s *Server) detokenize(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	v := m.Vocab()
	if v == nil {
		return errNoVocab
	}
	data, ok := o.raw("tokens")
	if !ok {
		data = json.RawMessage("[]")
	}
	if kindOf(data) != "an array" {
		o.fail("tokens", "must be an array of tokens, got %s", kindOf(data))
	}
	if o.err != nil {
		return o.err
	}
	tokens, err := readTokens("tokens", data, nil)
	if err != nil {
		return err
	}
	for i, t := range tokens {
		if !v.Valid(t) {
			return badRequest("element %d of field 'tokens' is %d, the vocabulary has %d tokens", i, t, v.Size())
		}
	}
	writeJSON(w, http.StatusOK, map[string]string{"content": v.Decode(tokens, true)})
	return nil
}

// applyTemplate answers POST /apply-template: the text that a conversation becomes.
func (s *Server) applyTemplate(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	text, _, err := s.rendered(w, r, m)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"prompt": text})
	return nil
}

// rendered reads a conversation and returns what the model would see of it.
func (s *Server) rendered(w http.ResponseWriter, r *http.Request, m *engine.Model) (string, []engine.Token, error) {
	o, err := s.readObject(w, r)
	if err != nil {
		return "", nil, err
	}
	_, request, err := s.chatRequest(o, m)
	if err != nil {
		return "", nil, err
	}
	text, tokens, err := m.Prompt(request)
	if err != nil {
		return "", nil, refused(err)
	}
	return text, tokens, nil
}

// countChat answers how many tokens a conversation has.
func (s *Server) countChat(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	_, tokens, err := s.rendered(w, r, m)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "response.input_tokens", "input_tokens": len(tokens)})
	return nil
}

// renderChat answers POST /v1/chat/completions/render: the tokens and the text of a request, nothing generated.
func (s *Server) renderChat(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	text, tokens, err := s.rendered(w, r, m)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, renderJSON(s.options.Model, text, tokens))
	return nil
}

func renderJSON(model, text string, tokens []engine.Token) map[string]any {
	return map[string]any{"model": model, "prompt": text, "token_ids": tokens, "n_tokens": len(tokens)}
}

// renderCompletion answers POST /v1/completions/render: a list, one element a prompt.
func (s *Server) renderCompletion(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	p := s.readParams(o, m)
	prompts, _, err := readPrompts(o, "prompt", m)
	if err != nil {
		return err
	}
	out := []any{}
	for _, in := range prompts {
		text, tokens, err := m.Prompt(s.request(p, in))
		if err != nil {
			return refused(err)
		}
		out = append(out, renderJSON(s.options.Model, text, tokens))
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// adapters answers GET /lora-adapters: there are none.
func (s *Server) adapters(w http.ResponseWriter, _ *http.Request, _ *engine.Model) error {
	writeJSON(w, http.StatusOK, []any{})
	return nil
}

// setAdapters answers POST /lora-adapters; the empty list is the only one that names no adapter that is not there.
func (s *Server) setAdapters(w http.ResponseWriter, r *http.Request, _ *engine.Model) error {
	data, err := s.readBody(w, r)
	if err != nil {
		return err
	}
	var items []map[string]any
	if json.Unmarshal(data, &items) != nil {
		return badRequest("the body must be an array of objects with id and scale, got %s", kindOf(data))
	}
	if len(items) > 0 {
		return badRequest("there is no adapter of this id: this server has none")
	}
	writeJSON(w, http.StatusOK, map[string]bool{"success": true})
	return nil
}
