package serve

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"

	"github.com/llamakit/llamakit/engine"
)

// embedded is a prompt with its vectors.
type embedded struct {
	tokens  int
	vectors [][]float32
}

// embed reads the prompts of a request and computes their vectors, in order.
func (s *Server) embed(r *http.Request, m *engine.Model, o *object, pooling engine.Pooling) ([]embedded, error) {
	name, normalize := "input", 2
	if !o.has(name) && o.has("content") {
		name = "content"
	}
	o.int("embd_normalize", &normalize, -1, 32)
	prompts, _, err := readPrompts(o, name, m)
	if err != nil {
		return nil, err
	}
	var out []embedded
	for _, in := range prompts {
		_, tokens, err := m.Prompt(engine.Request{Prompt: in.text, Tokens: in.tokens})
		if err != nil {
			return nil, refused(err)
		}
		vectors, err := m.Pool(r.Context(), tokens, pooling)
		if err != nil {
			return nil, err
		}
		for _, v := range vectors {
			scale(v, normalize)
		}
		out = append(out, embedded{len(tokens), vectors})
	}
	return out, nil
}

// pooling is the server's, or the model's.
func (s *Server) pooling(m *engine.Model) (engine.Pooling, error) {
	p := cmp.Or(s.options.Pooling, m.Pooling())
	if p == engine.PoolingRank {
		return "", unsupported("this model scores texts; ask /v1/rerank")
	}
	return p, nil
}

// scale divides a vector by its norm: 0 by its greatest element, which becomes 32760, 1 and more by the sum of powers; negative
// leaves it alone.
func scale(v []float32, norm int) {
	sum := 0.0
	switch {
	case norm < 0:
		return
	case norm == 0:
		for _, x := range v {
			sum = max(sum, math.Abs(float64(x)))
		}
		sum /= 32760
	case norm == 2:
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		sum = math.Sqrt(sum)
	default:
		for _, x := range v {
			sum += math.Pow(math.Abs(float64(x)), float64(norm))
		}
		sum = math.Pow(sum, 1/float64(norm))
	}
	if sum == 0 {
		return
	}
	for i, x := range v {
		v[i] = float32(float64(x) / sum)
	}
}

// embedding answers POST /embedding: every prompt has a list of vectors.
func (s *Server) embedding(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	pooling, err := s.pooling(m)
	if err != nil {
		return err
	}
	all, err := s.embed(r, m, o, pooling)
	if err != nil {
		return err
	}
	out := []any{}
	for i, e := range all {
		out = append(out, map[string]any{"index": i, "embedding": e.vectors})
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// openaiEmbeddings answers POST /v1/embeddings: every prompt has one vector.
func (s *Server) openaiEmbeddings(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	format, width := "float", 0
	o.str("encoding_format", &format)
	o.int("dimensions", &width, 1, maxInt)
	pooling, err := s.pooling(m)
	switch {
	case err != nil:
		return err
	case o.err != nil:
		return o.err
	case format != "float" && format != "base64":
		return badRequest("field 'encoding_format' must be float or base64")
	case width != 0 && width != m.Info().Width:
		return badRequest("field 'dimensions' is %d, the vectors of this model have %d", width, m.Info().Width)
	case pooling == engine.PoolingNone:
		return badRequest("pooling is none, which gives a vector a token; ask /embeddings, or start the server with --pooling mean")
	}
	all, err := s.embed(r, m, o, pooling)
	if err != nil {
		return err
	}
	tokens, data := 0, []any{}
	for i, e := range all {
		tokens += e.tokens
		item := map[string]any{"object": "embedding", "index": i, "embedding": e.vectors[0]}
		if format == "base64" {
			item["embedding"], item["encoding_format"] = base64Of(e.vectors[0]), format
		}
		data = append(data, item)
	}
	writeJSON(w, http.StatusOK, map[string]any{"model": s.options.Model, "object": "list", "data": data,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
	return nil
}

// base64Of writes a vector as little-endian float32 values.
func base64Of(v []float32) string {
	data := make([]byte, 0, 4*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(data)
}
