package graph

import "math"

// RopeKind says which columns form a pair.
type RopeKind int

const (
	RopeNorm RopeKind = iota // columns 2i and 2i+1
	RopeNeox                 // columns i and i + Dims/2
)

// RopeSpec describes one rotary embedding. Layers with the same one share a pointer, so that its angles are computed
// once a batch.
type RopeSpec struct {
	Kind    RopeKind
	Dims    int       // columns of a head that are rotated, from the first
	Tail    bool      // the last Dims columns are, instead
	Inverse bool      // they are rotated back
	Shift   int       // angles are those of the position so many tokens before
	Base    float32   // angle of pair i at position p: p·Base^(-2i/Dims)
	Factors []float32 // Dims/2 divisors of the angles (llama3 and longrope tensors); nil: ones
	Scale   float32   // cos and sin are multiplied by it; 0: 1

	Linear float32 // positions are divided by it; 0: 1
	Yarn   *Yarn
}

// Yarn holds the parameters of YaRN (Peng et al. 2023, arXiv:2309.00071).
type Yarn struct {
	Factor             float32
	BetaFast, BetaSlow float32
	Original           int     // context length of the training
	LogMul             float32 // mscale_all_dim; 0: none
}

// Magnitude is the factor that YaRN puts on cos and sin.
func (y *Yarn) Magnitude() float64 {
	log := 0.1 * math.Log(float64(y.Factor))
	return (1 + log) / (1 + float64(y.LogMul)*log)
}

// Frequencies returns the angle a position adds to each of the Dims/2 pairs, and the factor of cos and sin.
func (r *RopeSpec) Frequencies() (freq []float64, scale float64) {
	scale = 1
	if r.Scale != 0 {
		scale = float64(r.Scale)
	}
	freq = make([]float64, r.Dims/2)
	for i := range freq {
		freq[i] = math.Pow(float64(r.Base), -2*float64(i)/float64(r.Dims))
		if r.Factors != nil {
			freq[i] /= float64(r.Factors[i])
		}
	}
	switch {
	case r.Yarn != nil:
		scale *= r.Yarn.Magnitude()
		r.yarn(freq)
	case r.Linear > 0:
		for i := range freq {
			freq[i] /= float64(r.Linear)
		}
	}
	return freq, scale
}

// Unscaled is r for positions that are not stretched, as sliding layers of several architectures have it.
func (r *RopeSpec) Unscaled() *RopeSpec {
	u := *r
	u.Linear, u.Yarn, u.Scale = 0, nil, 0
	return &u
}

// yarn interpolates pairs that turn seldom within the original context and leaves those that turn often; the ramp
// between the two goes from pair lo to pair hi.
func (r *RopeSpec) yarn(freq []float64) {
	y, n := r.Yarn, float64(r.Dims)
	pair := func(beta float32) float64 {
		return n * math.Log(float64(y.Original)/(2*math.Pi*float64(beta))) / (2 * math.Log(float64(r.Base)))
	}
	lo := max(0, math.Floor(pair(y.BetaFast)))
	hi := min(n-1, math.Ceil(pair(y.BetaSlow)))
	for i := range freq {
		keep := 1 - min(1, max(0, (float64(i)-lo)/max(0.001, hi-lo)))
		freq[i] *= keep + (1-keep)/float64(y.Factor)
	}
}
