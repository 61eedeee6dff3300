package arch

// EmbeddingGemma (arXiv:2509.20354): gemma3 with attention in both directions, its windows around each token, and without logits.
// Its dense layers are the head of embeddings.

func newGemmaEmbedding(s *source) architecture {
	m := s.gemma3()
	m.attn.Full = true
	return m
}

func init() { register("gemma-embedding", newGemmaEmbedding) }
