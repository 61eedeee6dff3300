package arch

import (
	"fmt"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// hparams are the hyper-parameters that nearly every architecture has.
type hparams struct {
	NLayer       int // without the NDraft layers at the end that guess tokens further ahead
	NDraft       int
	NEmbd        int
	NVocab       int // rows of the token embedding
	NOutput      int // rows of the output matrix
	NHead        int // the most that a layer has; here and below Layers has what each has
	NHeadKV      int
	HeadDim      int     // of queries and keys
	HeadDimV     int     // of values
	NFF          int     // feed-forward width; 0 where a model has experts only
	NormEps      float32 // of root-mean-square norms; 0 where a model has none
	TrainContext int
	Layers       []layerHparams
}

// NBlock is the number of layers in the file.
func (h *hparams) NBlock() int { return h.NLayer + h.NDraft }

// layerHparams are what some architectures choose by layer; 0 where a layer has no such part.
type layerHparams struct {
	NHead, NHeadKV, NFF int
}

// limits of what a file may claim before anything is allocated for it.
const (
	maxLayers = 4096
	maxHeads  = 1 << 16
	maxWidth  = 1 << 24
)

func readHparams(r *gguf.Reader) hparams {
	layers := r.IntIn("block_count", 1, maxLayers)
	h := hparams{
		NDraft:       max(0, r.IntOr("nextn_predict_layers", 0)),
		NEmbd:        r.Int("embedding_length"),
		NormEps:      float32(r.FloatOr(rmsEpsilon, 0)),
		TrainContext: r.IntOr("context_length", 0),
	}
	h.NLayer = layers - h.NDraft
	heads := r.IntsOrScalar("attention.head_count", layers)
	kv, ff := heads, r.IntsOrScalarOr("feed_forward_length", layers, 0)
	if r.Has("attention.head_count_kv") {
		kv = r.IntsOrScalar("attention.head_count_kv", layers)
	}
	if r.Err() != nil {
		return h
	}
	for i := range min(h.NLayer, layers) {
		l := layerHparams{NHead: heads[i], NHeadKV: kv[i], NFF: ff[i]}
		h.Layers = append(h.Layers, l)
		h.NHead, h.NHeadKV, h.NFF = max(h.NHead, l.NHead), max(h.NHeadKV, l.NHeadKV), max(h.NFF, l.NFF)
	}
	if h.NHead > 0 {
		h.HeadDim = r.IntOr("attention.key_length", h.NEmbd/h.NHead)
		h.HeadDimV = r.IntOr("attention.value_length", h.HeadDim)
	}
	return h
}

// withoutHeads are the architectures that have no attention: their files say 0 heads.
var withoutHeads = map[string]bool{}

// validate rejects values that cannot be a model's, naming the key.
func (h *hparams) validate(arch string) error {
	for _, c := range []struct {
		key         string
		value, most int
	}{
		{"block_count", h.NLayer, maxLayers},
		{"embedding_length", h.NEmbd, maxWidth},
		{"attention.head_count", h.NHead, maxHeads},
		{"attention.head_count_kv", h.NHeadKV, maxHeads},
		{"attention.key_length", h.HeadDim, maxWidth},
		{"attention.value_length", h.HeadDimV, maxWidth},
	} {
		if withoutHeads[arch] && c.key != "embedding_length" {
			continue
		}
		if c.value < 1 || c.value > c.most {
			return fmt.Errorf("%w: key %s.%s is %d, want 1 to %d", gguf.ErrCorrupt, arch, c.key, c.value, c.most)
		}
	}
	for i, l := range h.Layers {
		if l.NHead < 0 || l.NHeadKV < 0 || l.NHeadKV > 0 && l.NHead%l.NHeadKV != 0 {
			return fmt.Errorf("%w: layer %d: %d heads cannot share %d key heads", gguf.ErrCorrupt, i, l.NHead, l.NHeadKV)
		}
		if l.NFF < 0 || l.NFF > maxWidth {
			return fmt.Errorf("%w: key %s.feed_forward_length is %d in layer %d", gguf.ErrCorrupt, arch, l.NFF, i)
		}
	}
	return nil
}

// windows returns the attention window of each layer, 0 where a layer sees everything. The pattern is an array of flags, or
// one number P: of every P layers all but the last slide, or all layers with P = 0.
func (s *source) windows(defaultPattern int) []int {
	return s.windowsBy(defaultPattern, func(i, pattern int) bool { return i%pattern < pattern-1 })
}

// windowsDenseFirst is windows where of every P layers the first sees everything.
func (s *source) windowsDenseFirst(defaultPattern int) []int {
	return s.windowsBy(defaultPattern, func(i, pattern int) bool { return i%pattern != 0 })
}

func (s *source) windowsBy(pattern int, slides func(i, pattern int) bool) []int {
	w := make([]int, s.NLayer)
	size := s.IntOr("attention.sliding_window", 0)
	v, ok := s.file.Metadata.Get(s.arch + ".attention.sliding_window_pattern")
	if number, isNumber := v.Int(); ok && isNumber {
		pattern = int(number)
	}
	array, isArray := flagSlice(v)
	for i := range w {
		switch {
		case ok && isArray && !(i < len(array) && array[i]), size < 0:
		case ok && isArray, pattern == 0, slides(i, pattern):
			w[i] = size
		}
	}
	return w
}

func flagSlice(v gguf.Value) ([]bool, bool) {
	if flags, ok := v.BoolSlice(); ok {
		return flags, true
	}
	numbers, ok := v.IntSlice()
	flags := make([]bool, len(numbers))
	for i, n := range numbers {
		flags[i] = n != 0
	}
	return flags, ok
}

// rope reads the rotary embedding that all layers share. factors may be nil.
func (s *source) rope(kind graph.RopeKind, factors []float32) *graph.RopeSpec {
	r := &graph.RopeSpec{
		Kind:    kind,
		Dims:    s.ropeDims("rope.dimension_count", s.HeadDim),
		Base:    float32(s.FloatOr("rope.freq_base", 10000)),
		Scale:   float32(s.FloatOr("rope.scaling.attn_factor", 1)),
		Factors: factors,
	}
	if base := float64(r.Base); !(base > 0 && base < math.MaxFloat32) {
		s.fail(fmt.Errorf("%w: key %s.rope.freq_base is %g, want a number above 0", gguf.ErrCorrupt, s.arch, base))
	}
	factor := float32(s.FloatOr("rope.scaling.factor", s.FloatOr("rope.scale_linear", 0)))
	if factor == 0 || factor == 1 {
		return r
	}
	switch scaling := s.StrOr("rope.scaling.type", "linear"); scaling {
	case "none", "longrope", "": // longrope works by factors alone
	case "linear":
		r.Linear = factor
	case "yarn":
		r.Yarn = &graph.Yarn{Factor: factor,
			BetaFast: float32(s.FloatOr("rope.scaling.yarn_beta_fast", 32)),
			BetaSlow: float32(s.FloatOr("rope.scaling.yarn_beta_slow", 1)),
			Original: s.IntOr("rope.scaling.original_context_length", s.TrainContext),
			LogMul:   float32(s.FloatOr("rope.scaling.yarn_log_multiplier", 0)),
		}
	default:
		s.fail(fmt.Errorf("%w: key %s.rope.scaling.type is %q", gguf.ErrUnsupported, s.arch, gguf.Printable(scaling)))
	}
	return r
}

// ropeDims reads how many columns of a head are rotated.
func (s *source) ropeDims(key string, standard int) int {
	n := s.IntOr(key, standard)
	if n < 2 || n > s.HeadDim || n%2 != 0 {
		s.fail(fmt.Errorf("%w: key %s.%s is %d, heads have %d columns", gguf.ErrCorrupt, s.arch, key, n, s.HeadDim))
		return s.HeadDim &^ 1
	}
	return n
}

// ropeSWA is r with the rotary base of sliding layers, which is base where the file has no key.
func (s *source) ropeSWA(r *graph.RopeSpec, base float32) *graph.RopeSpec {
	swa := *r
	swa.Base = float32(s.FloatOr("rope.freq_base_swa", float64(base)))
	return &swa
}

// ropeSections says whether rotary pairs are shared out between time, height and width (rope.dimension_sections).
func (s *source) ropeSections() bool {
	v, _ := s.file.Metadata.Get(s.arch + ".rope.dimension_sections")
	sections, _ := v.IntSlice()
	return slices.ContainsFunc(sections, func(n int64) bool { return n != 0 })
}

// ropeFactors binds the divisors of Llama 3.1's rotary angles; nil where the file has none.
func (s *source) ropeFactors() []float32 {
	return s.vectorOr("rope_freqs.weight", s.IntOr("rope.dimension_count", s.HeadDim)/2)
}

// longropeFactors binds the set of divisors that the context asks for; rope_freqs wins where a file has both.
func (s *source) longropeFactors() []float32 {
	n := s.IntOr("rope.dimension_count", s.HeadDim) / 2
	long, short := s.vectorOr("rope_factors_long.weight", n), s.vectorOr("rope_factors_short.weight", n)
	switch original := s.IntOr("rope.scaling.original_context_length", s.TrainContext); {
	case s.has("rope_freqs.weight"):
		return s.ropeFactors()
	case s.Context > original:
		return long
	}
	return short
}
