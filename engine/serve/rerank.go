package serve

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/llamakit/llamakit/engine"
)

// ranked is a document with its score.
type ranked struct {
	index int
	score float32
}

// rerank answers POST /v1/rerank: documents by how well they answer a query, the best first. A request with "texts" instead of
// "documents" gets the answer of Hugging Face's text-embeddings-inference.
func (s *Server) rerank(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	if m.Classes() == nil {
		return unsupported("this server does not rerank; start it with a reranker and --reranking")
	}
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	query, documents, top, texts := "", []string(nil), 0, false
	o.str("query", &query)
	o.strs("documents", &documents)
	if len(documents) == 0 {
		o.strs("texts", &documents)
		texts = o.has("texts")
	}
	o.int("top_n", &top, 1, maxInt)
	withText := false
	o.bool("return_text", &withText)
	switch {
	case o.err != nil:
		return o.err
	case query == "":
		return badRequest("field 'query' is required: a string")
	case len(documents) == 0:
		return badRequest("field 'documents' is required: an array of strings")
	case len(documents) > maxPrompts:
		return badRequest("field 'documents' has %d texts, %d may be in one request", len(documents), maxPrompts)
	}
	list, tokens, err := rank(r, m, query, documents)
	if err != nil {
		return err
	}
	if top > 0 && !texts {
		list = list[:min(top, len(list))]
	}
	results := []any{}
	for _, d := range list {
		results = append(results, d.json(documents, texts, withText))
	}
	if texts {
		writeJSON(w, http.StatusOK, results)
		return nil
	}
	writeJSON(w, http.StatusOK, map[string]any{"model": s.options.Model, "object": "list", "results": results,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
	return nil
}

// rank scores the documents, and sorts them.
func rank(r *http.Request, m *engine.Model, query string, documents []string) (list []ranked, tokens int, err error) {
	prompts := make([][]engine.Token, len(documents))
	for i, document := range documents {
		if prompts[i], err = m.RankPrompt(query, document); err != nil {
			return nil, 0, refused(err)
		}
		tokens += len(prompts[i])
	}
	scores, err := m.PoolAll(r.Context(), prompts, engine.PoolingRank)
	if err != nil {
		return nil, 0, refused(err)
	}
	for i := range scores {
		list = append(list, ranked{i, scores[i][0][0]})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return list, tokens, nil
}

func (d ranked) json(documents []string, texts, withText bool) map[string]any {
	if texts {
		out := map[string]any{"index": d.index, "score": d.score}
		if withText {
			out["text"] = documents[d.index]
		}
		return out
	}
	return map[string]any{"index": d.index, "relevance_score": d.score}
}
