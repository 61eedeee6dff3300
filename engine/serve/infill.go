package serve

import (
	"net/http"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// infill answers POST /infill: what stands between a prefix and a suffix.
func (s *Server) infill(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	v := m.Vocab()
	if v == nil {
		return errNoVocab
	}
	if missing := missingFIM(v); missing != "" {
		return unsupported("this model cannot fill in: its vocabulary has no token for the %s", missing)
	}
	p := s.readParams(o, m)
	tokens := readInfill(o, v, m.Info().Context, p.max)
	if o.err != nil {
		return o.err
	}
	if err := s.readStructure(o, m, p); err != nil {
		return err
	}
	jobs, err := s.newJobs(r, m, p, s.request(p, prompt{tokens: tokens}), 0)
	if err != nil {
		return err
	}
	if err := s.ledger.admit(jobs); err != nil {
		return err
	}
	return s.answerNative(w, r, m, jobs, false)
}

// missingFIM names the tokens of fill-in-the-middle that a vocabulary lacks.
func missingFIM(v *vocab.Vocab) string {
	var missing []string
	for _, t := range []struct {
		token engine.Token
		name  string
	}{{v.FIMPrefix, "prefix"}, {v.FIMSuffix, "suffix"}, {v.FIMMiddle, "middle"}} {
		if t.token == vocab.None {
			missing = append(missing, t.name)
		}
	}
	return strings.Join(missing, ", ")
}

// readInfill makes the prompt of a request, as the models were trained: other files first, then prefix, suffix, and the token
// that stands for what is wanted. Where all does not fit, the beginning of the other files and of the prefix, and the end of
// the suffix, are left out.
func readInfill(o *object, v *vocab.Vocab, context, predict int) []engine.Token {
	var before, after, begun string
	o.str("input_prefix", &before)
	o.str("input_suffix", &after)
	o.str("prompt", &begun)
	text := func(s string) []engine.Token { return v.Encode(s, vocab.EncodeOptions{}) }
	other := readExtra(o, v, text)
	room := max(0, context-max(predict, 16)-8)
	prefix, suffix := text(before), text(after)
	prefix = prefix[max(0, len(prefix)-room*3/4):]
	suffix = suffix[:min(len(suffix), max(room/4, room-len(prefix)))]
	begin := append([]engine.Token{v.FIMPrefix}, prefix...)
	middle := append(append(append(begin, v.FIMSuffix), suffix...), v.FIMMiddle)
	middle = append(middle, text(begun)...)
	if v.AddBOS && v.BOS != vocab.None {
		middle = append([]engine.Token{v.BOS}, middle...)
	}
	left := max(0, room-len(middle))
	return append(other[max(0, len(other)-left):], middle...)
}

// readExtra reads input_extra, files that the model should know of.
func readExtra(o *object, v *vocab.Vocab, text func(string) []engine.Token) (tokens []engine.Token) {
	items, _ := o.array("input_extra")
	for i, item := range items {
		file, err := parseObject(indexed("input_extra", i)+".", item)
		if err != nil {
			o.err = err
			return nil
		}
		name, content := "tmp", ""
		file.str("filename", &name)
		file.str("text", &content)
		if o.adopt(file); o.err != nil {
			return nil
		}
		if v.FIMFile != vocab.None {
			tokens = append(append(append(tokens, v.FIMFile), text(name+"\n")...), text(content)...)
		} else {
			tokens = append(tokens, text("\n\n--- "+name+" ---\n\n"+content)...)
		}
	}
	return tokens
}
