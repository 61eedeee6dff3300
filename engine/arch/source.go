package arch

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// source hands an architecture its hyper-parameters and weights. Like gguf.Reader it keeps the first error, so that a
// constructor reads straight through.
type source struct {
	*gguf.Reader // keys of the architecture, without its prefix
	hparams
	Options
	arch     string
	norm     norm   // how the norms of whole rows are bound; RMSNorm where an architecture does not say
	lastNorm string // what files call the norm after the layers
	ffnNorm  string // what files call the norm before the feed-forward block
	file     *gguf.File
	used     map[string]bool
	failed   error
}

func newSource(f *gguf.File, name string, o Options) (*source, error) {
	s := &source{Reader: f.Metadata.Reader(name), Options: o, arch: name, lastNorm: "output_norm", ffnNorm: "ffn_norm", file: f, used: map[string]bool{}}
	s.norm = s.rmsNorm
	s.hparams = readHparams(s.Reader)
	if err := s.Reader.Err(); err != nil {
		return nil, err
	}
	if err := s.validate(name); err != nil {
		return nil, err
	}
	if o.Context == 0 {
		s.Context = s.TrainContext
	}
	embd, ok := f.Tensor("token_embd.weight")
	if !ok {
		return nil, fmt.Errorf("%w: tensor token_embd.weight is missing (a file with the vocabulary only?)", gguf.ErrNotFound)
	}
	if len(embd.Shape) != 2 || embd.Shape[0] != s.NEmbd {
		return nil, fmt.Errorf("%w: tensor token_embd.weight has shape %v, want [%d vocabulary]", gguf.ErrCorrupt, embd.Shape, s.NEmbd)
	}
	s.NVocab, s.NOutput = embd.Shape[1], embd.Shape[1]
	return s, nil
}

func (s *source) fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

func (s *source) err() error {
	if s.failed != nil {
		return s.failed
	}
	return s.Reader.Err()
}

func (s *source) has(name string) bool {
	_, ok := s.file.Tensor(name)
	return ok
}

// unused names the tensors that nothing asked for, in file order.
func (s *source) unused() []string {
	var out []string
	for i := range s.file.Tensors {
		if name := s.file.Tensors[i].Name; !s.used[name] {
			out = append(out, name)
		}
	}
	return out
}

// bind finds a tensor of the given shape; trailing dimensions of 1 do not count, as files leave them out.
func (s *source) bind(name string, shape ...int) *gguf.Tensor {
	t, ok := s.file.Tensor(name)
	if !ok {
		s.fail(fmt.Errorf("%w: tensor %s is missing", gguf.ErrNotFound, name))
		return nil
	}
	s.used[name] = true
	if !sameShape(t.Shape, shape) {
		s.fail(fmt.Errorf("%w: tensor %s has shape %v, want %v", gguf.ErrCorrupt, name, t.Shape, shape))
		return nil
	}
	return t
}

func sameShape(a, b []int) bool {
	for i := range max(len(a), len(b)) {
		x, y := 1, 1
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return false
		}
	}
	return true
}

// matrix binds a required matrix of out rows with in values each.
func (s *source) matrix(name string, in, out int) *graph.Weight { return s.stack(name, in, out, 1) }

// stack binds n matrices, one an expert.
func (s *source) stack(name string, in, out, n int) *graph.Weight {
	w := &graph.Weight{Name: name, In: in, Out: out, Experts: n}
	if t := s.bind(name, in, out, n); t != nil {
		w.Type, w.Data = t.Type, s.file.Bytes(t)
	}
	return w
}

// vector binds values as float32, a matrix row after row. F32 tensors are used where they lie.
func (s *source) vector(name string, shape ...int) []float32 {
	t := s.bind(name, shape...)
	if t == nil {
		return nil
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := s.file.Bytes(t)
	if data == nil { // only the header is there
		return make([]float32, n)
	}
	if t.Type == quant.F32 && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%4 == 0 {
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), n)
	}
	out := make([]float32, n)
	quant.Decode(t.Type, out, data)
	return out
}

// vectorOr is a vector that files may lack.
func (s *source) vectorOr(name string, shape ...int) []float32 {
	if !s.has(name) {
		return nil
	}
	return s.vector(name, shape...)
}

// proj binds an attention projection: (W·x)·scale + bias, the last two where the file has them.
func (s *source) proj(name string, in, out int) graph.Linear {
	return graph.Linear{W: s.matrix(name+".weight", in, out),
		Bias: s.vectorOr(name+".bias", out), Scale: s.vectorOr(name+".scale", 1)}
}

// dropScales leaves out the .scale tensors of projections whose architecture does not apply them in llama.cpp.
func dropScales(projections ...*graph.Linear) {
	for _, l := range projections {
		l.Scale = nil
	}
}

// scaling says whether .scale tensors count: they are written for NVFP4 weights, and llama.cpp applies them to the
// feed-forward parts of some architectures only.
type scaling bool

const (
	scaled   scaling = true
	unscaled scaling = false
)

// ffn binds a feed-forward matrix: (W·x + bias)·scale.
func (s *source) ffn(name string, in, out int, sc scaling) graph.Linear {
	l := s.expertStack(name, in, out, 1, sc)
	l.ScaleBias = true
	return l
}

// expertStack binds the same matrix of n experts: (W·x)·scale + bias, with one scale and out biases an expert.
func (s *source) expertStack(name string, in, out, n int, sc scaling) graph.Linear {
	l := graph.Linear{W: s.stack(name+".weight", in, out, n), Bias: s.vectorOr(name+".bias", out, n)}
	if sc {
		l.Scale = s.vectorOr(name+".scale", n)
	}
	return l
}

// split cuts a fused matrix into parts of the given numbers of rows, without copying.
func split(l graph.Linear, rows ...int) []graph.Linear {
	var out []graph.Linear
	from := 0
	for _, n := range rows {
		part := l
		part.W = l.W.Part(from, n)
		if l.Bias != nil {
			part.Bias = l.Bias[from : l.W.ExpertRow(l.W.Experts-1)+from+n]
		}
		out = append(out, part)
		from += n
	}
	return out
}

// sqrt32 is the float32 square root of a width, as scale factors are computed in llama.cpp.
func sqrt32(n int) float32 { return float32(math.Sqrt(float64(n))) }
