package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// logits computes those of all tokens.
func logits(f *gguf.File, tokens []int32) ([]float32, error) {
	m, err := arch.Build(f, arch.Options{})
	if err != nil {
		return nil, err
	}
	pages := (len(tokens) + kv.PageSize - 1) / kv.PageSize
	p, err := (&cpu.Device{Threads: 1}).Compile(m.Graph, backend.Options{Rows: len(tokens), Pages: pages, States: 1, TypeK: quant.F32, TypeV: quant.F32})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	b := &backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: len(tokens)}}}
	for i := range pages {
		b.Spans[0].Pages = append(b.Spans[0].Pages, kv.Page(i))
	}
	for i := range tokens {
		b.Outputs = append(b.Outputs, int32(i))
	}
	p.Run(b)
	var out []float32
	for i := range tokens {
		out = append(out, p.Logits(i)...)
	}
	return out, nil
}

// otherLogits has the other program compute them.
func (b *bench) otherLogits(model string, tokens []int32) ([]float32, error) {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(tokens), " ", ","), "[]")
	if err := b.other("golden", model, "logits", filepath.Join(b.folder, filepath.Base(b.work), "logits.f32"), list); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(b.work, "logits.f32"))
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out, nil
}

// exact computes logits with the weights of a file as float32, so that no activation is rounded.
func (b *bench) exact(f *gguf.File, tokens []int32) ([]float32, error) {
	path := filepath.Join(b.work, "exact.gguf")
	if err := widen(f, path); err != nil {
		return nil, err
	}
	wide, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer wide.Close()
	return logits(wide, tokens)
}

// widen writes a file with all weights as float32.
func widen(f *gguf.File, path string) error {
	var infos []gguf.TensorInfo
	for i := range f.Tensors {
		info := f.Tensors[i].Info()
		if info.Type != quant.I32 {
			info.Type = quant.F32
		}
		infos = append(infos, info)
	}
	out, err := gguf.Create(path, f.Metadata, infos)
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Commit
	for i := range f.Tensors {
		t := &f.Tensors[i]
		data := f.Bytes(t)
		if t.Type != infos[i].Type {
			data = float32s(t.Type, t.Elements(), data)
		}
		if err := out.WriteTensor(data); err != nil {
			return err
		}
	}
	return out.Commit()
}

func float32s(typ quant.Type, n int, data []byte) []byte {
	x := make([]float32, n)
	quant.Decode(typ, x, data)
	out := make([]byte, 0, 4*n)
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// nmse is Σ(got-want)² / Σ want²; infinite where they do not compare.
func nmse(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	diff, sum := 0.0, 0.0
	for i, w := range want {
		diff += (float64(got[i]) - float64(w)) * (float64(got[i]) - float64(w))
		sum += float64(w) * float64(w)
	}
	return diff / sum
}
