package debug

import (
	"context"
	"fmt"
	"math"
	"sync"
)

// Divergence is how far the distributions of model B are from those of A along a text: the Kullback-Leibler divergence
// D(A‖B) = Σ p·ln(p/q), in nats, over all tokens of the vocabulary (Kullback and Leibler 1951).
type Divergence struct {
	Mean    float64         `json:"mean"`
	Max     float64         `json:"max"`
	At      int             `json:"at"`       // token after which it is the greatest
	SameTop float64         `json:"same_top"` // share of places where both find the same token likeliest
	Tokens  []DivergedToken `json:"tokens"`   // a token of the text each, what follows it
}

// DivergedToken is the divergence of what follows a token.
type DivergedToken struct {
	Text string  `json:"text"`
	KL   float64 `json:"kl"`
	Top  bool    `json:"same_top"`
}

// window is how many places are compared at once: a row of all logits is kept for each.
const window = 32

// Diverge compares two models along tokens. They must have the same vocabulary.
func Diverge(ctx context.Context, a, b *Session, tokens []Token) (*Divergence, error) {
	if x, y := a.model.Vocab().Size(), b.model.Vocab().Size(); x != y {
		return nil, fmt.Errorf("the vocabularies have %d and %d tokens: distributions of different tokens cannot be compared", x, y)
	}
	d := &Divergence{Tokens: make([]DivergedToken, len(tokens))}
	for from := 0; from < len(tokens); from += window {
		end := min(from+window, len(tokens))
		rows, err := a.rows(ctx, tokens[:end], from)
		if err != nil {
			return nil, err
		}
		err = b.visit(ctx, tokens[:end], from, func(pos int, logits []float32) {
			kl, same := divergence(rows[pos-from], b.words(logits))
			d.Tokens[pos] = DivergedToken{tokens[pos].Text, kl, same}
		})
		if err != nil {
			return nil, err
		}
	}
	d.sum()
	return d, nil
}

func (d *Divergence) sum() {
	same := 0
	for i, t := range d.Tokens {
		d.Mean += t.KL
		if t.KL > d.Max {
			d.Max, d.At = t.KL, i
		}
		if t.Top {
			same++
		}
	}
	if n := float64(len(d.Tokens)); n > 0 {
		d.Mean, d.SameTop = d.Mean/n, float64(same)/n
	}
}

func (s *Session) visit(ctx context.Context, tokens []Token, from int, f func(pos int, logits []float32)) error {
	return s.model.VisitLogits(ctx, ids(tokens), from, f)
}

// rows are copies of logits.
func (s *Session) rows(ctx context.Context, tokens []Token, from int) ([][]float32, error) {
	rows := make([][]float32, len(tokens)-from)
	var mu sync.Mutex
	err := s.visit(ctx, tokens, from, func(pos int, logits []float32) {
		row := append([]float32(nil), s.words(logits)...)
		mu.Lock()
		rows[pos-from] = row
		mu.Unlock()
	})
	return rows, err
}

// divergence is D(p‖q) of two rows of logits, and whether their greatest is the same.
func divergence(p, q []float32) (kl float64, sameTop bool) {
	lp, topP := logSumExp(p)
	lq, topQ := logSumExp(q)
	for i := range p {
		log := float64(p[i]) - lp
		if w := math.Exp(log); w > 0 {
			kl += w * (log - (float64(q[i]) - lq))
		}
	}
	return max(0, kl), topP == topQ
}

// logSumExp is the logarithm of the sum of exponentials, and the index of the greatest.
func logSumExp(x []float32) (log float64, top int) {
	for i := range x {
		if x[i] > x[top] {
			top = i
		}
	}
	sum := 0.0
	for i := range x {
		sum += math.Exp(float64(x[i] - x[top]))
	}
	return float64(x[top]) + math.Log(sum), top
}
