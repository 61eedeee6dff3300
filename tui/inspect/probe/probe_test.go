package probe

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

const demo = "../../../engine/demo/demo.gguf"

func open(t testing.TB) *gguf.File {
	t.Helper()
	f, err := gguf.Open(demo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestTable(t *testing.T) {
	names := []string{"blk.10.up", "blk.2.up", "blk.2.down", "out"}
	texts := []string{"q4_K 1x2", "q6_K 1x2", "q4_K 3x4", "F32 9"}
	for _, c := range []struct {
		filter string
		turns  string // s: next order, r: reverse
		want   []int
	}{
		{"", "", []int{0, 1, 2, 3}}, {"Q4", "", []int{0, 2}}, {"up q6", "", []int{1}}, {"!up", "", []int{2, 3}}, {"blk.2.*", "", []int{1, 2}},
		{"*", "", []int{0, 1, 2, 3}}, {"f32", "", []int{3}}, {"[", "", []int{}}, {"! up", "", []int{0, 1}}, {"blk.?", "", []int{}},
		{"", "s", []int{2, 1, 0, 3}}, {"", "sr", []int{3, 0, 1, 2}}, {"", "ss", []int{0, 1, 2, 3}}, {"up", "s", []int{1, 0}},
	} {
		table := NewTable(names, texts, Order{"name", func(a, b int) int { return Natural(names[a], names[b]) }})
		for _, r := range c.turns {
			if r == 's' {
				table.NextOrder()
			} else {
				table.Turn()
			}
		}
		table.Filter(c.filter)
		got := []int{}
		for i := range table.Len() {
			got = append(got, table.Row(i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, %s: %v, want %v", c.filter, c.turns, got, c.want)
		}
	}
}

func TestNatural(t *testing.T) {
	sorted := []string{"", "a", "a1", "a2b", "a10", "a10b", "b"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := Natural(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q to %q: %d", a, b, got)
			}
		}
	}
}

func TestPairs(t *testing.T) {
	a, b := gguf.NewMetadata(), gguf.NewMetadata()
	for _, k := range []string{"same", "other", "gone"} {
		a.Set(k, gguf.String("1"))
	}
	b.Set("new", gguf.Bool(true))
	b.Set("split.count", gguf.Uint16(2))
	b.Set("other", gguf.Uint32(1))
	b.Set("same", gguf.String("1"))
	var got []string
	for _, k := range Keys(a, b) {
		got = append(got, string(rune(k.Change))+k.Name)
	}
	if want := []string{" same", "~other", "-gone", "+new"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, k := range Keys(a, nil) {
		if k.Change != Same {
			t.Errorf("alone: %v", k)
		}
	}
}

// numbers makes a file with one tensor of 4 rows: 0, 1, 2, ... up to 255, of type typ.
func numbers(t *testing.T, typ quant.Type) (*gguf.File, *gguf.Tensor) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "n.gguf")
	w, err := gguf.Create(path, gguf.NewMetadata(), []gguf.TensorInfo{{Name: "n", Type: typ, Shape: []int{64, 4}}})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 256)
	for i := range values {
		values[i] = float32(i)
	}
	data := make([]byte, 4*typ.RowBytes(64))
	if err := quant.Encode(typ, data, values); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteTensor(data), w.Commit()); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, &f.Tensors[0]
}

func TestDistribution(t *testing.T) {
	f, x := numbers(t, quant.F32)
	d, err := Spread(f, x, 0).Distribution(t.Context())
	if err != nil || d.Values != 256 || d.Min != 0 || d.Max != 255 || d.Mean != 127.5 || d.Zeros != 1 || d.Count[0] != 13 || d.Count[Bins-1] != 13 {
		t.Errorf("%+v, %v", d, err)
	}
	rows := Spread(f, x, 130)
	if rows.N != 2 || rows.Of != 4 || rows.Row(1) != 2 {
		t.Fatalf("%+v", rows)
	}
	if d, _ := rows.Distribution(t.Context()); d.Values != 128 || d.Max != 191 {
		t.Errorf("two rows: %+v", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rows.Distribution(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestScales(t *testing.T) {
	f, x := numbers(t, quant.Q8_0)
	s, err := Spread(f, x, 0).Scales(t.Context())
	if err != nil || !s.Stored || s.Block != 32 || s.Rows != 4 || s.Columns != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	for y, row := range s.Grid(9, 9) {
		for x, got := range row { // the scale of a block is its largest value over 127
			if want := float64(64*y+32*x+31) / 127; math.Abs(got-want) > want/1000 {
				t.Errorf("row %d, block %d: %g, want %g", y, x, got, want)
			}
		}
	}
	if grid := s.Grid(2, 1); len(grid) != 2 || len(grid[0]) != 1 || math.Abs(grid[1][0]-(159.0+191+223+255)/4/127) > 0.01 {
		t.Errorf("%v", grid)
	}
	g, y := numbers(t, quant.F32)
	if s, err := Spread(g, y, 0).Scales(t.Context()); err != nil || s.Stored || s.Max != 255 || s.Min != 31 {
		t.Errorf("%+v, %v", s, err)
	}
	if d, err := Spread(f, x, 0).Difference(t.Context(), g, y); err != nil || d.Equal || d.MaxAbs == 0 || d.MaxAbs > 1.01 || d.RelRMS() > 0.005 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestSearch(t *testing.T) {
	all, err := ReadTokens(open(t).Metadata)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]int{"#315": {315}, "#4091-9999": {4091, 4092, 4093, 4094, 4095}, "#5-4": nil, "#-1": nil, ":control END": {4091, 4093}, `/^\|>$/`: nil, "/^ing/": {315, 977, 4073},
		"<|IM_": {4092, 4093}} {
		got, err := all.Search(t.Context(), query)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", query, got, err, want)
		}
	}
	if ids, _ := all.Search(t.Context(), ""); len(ids) != 4096 {
		t.Errorf("%d of all", len(ids))
	}
	if _, err := all.Search(t.Context(), "/("); err == nil || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if k := all.Token(305); k.Piece != "The" || k.Kind != vocab.Normal.String() {
		t.Errorf("%+v", k)
	}
}

// TestUnknownTokenizer looks at entries whose tokenizer is not known.
func TestUnknownTokenizer(t *testing.T) {
	md := gguf.NewMetadata()
	if _, err := ReadTokens(md); err == nil {
		t.Error("no tokens are no error")
	}
	md.Set("tokenizer.ggml.model", gguf.String("magic"))
	md.Set("tokenizer.ggml.tokens", gguf.Strings([]string{"a", "b"}))
	md.Set("tokenizer.ggml.scores", gguf.Float32s([]float32{1, -2}))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s([]int32{1, 3}))
	all, err := ReadTokens(md)
	if err != nil || all.Err == nil || all.Vocab != nil {
		t.Fatalf("%+v, %v", all, err)
	}
	if k := all.Token(1); k != (Token{1, "b", "b", "control", -2}) {
		t.Errorf("%+v", k)
	}
}

func TestOffload(t *testing.T) {
	f := open(t)
	p, err := engine.NewPlan(f, engine.Options{Context: 1024, Sequences: 1})
	if err != nil {
		t.Fatal(err)
	}
	embedding, _ := f.Tensor("token_embd.weight")
	norm, _ := f.Tensor("output_norm.weight")
	last := int64(0)
	for _, x := range f.Tensors {
		if strings.HasPrefix(x.Name, "blk.5.") {
			last += x.Size
		}
	}
	output := embedding.Size + norm.Size // the embeddings are the output, too
	for n, want := range map[int]Offload{0: {0, 7, 0, 0}, 1: {1, 7, output, 0}, 2: {2, 7, output + last, p.Memory.Cache / 6},
		99: {7, 7, p.Weights, p.Memory.Cache}, -1: {7, 7, p.Weights, p.Memory.Cache}} {
		if got := PlanOffload(f, p, n); got != want {
			t.Errorf("%d: %+v, want %+v", n, got, want)
		}
	}
}

func TestTemplates(t *testing.T) {
	md := gguf.NewMetadata()
	md.Set("tokenizer.chat_template.tool_use", gguf.String("tools"))
	md.Set("tokenizer.chat_template", gguf.String("{{ bos_token }}{% for m in messages %}[{{ m.role }}]{% endfor %}"))
	md.Set("tokenizer.chat_templates", gguf.Strings([]string{"tool_use"}))
	list := Templates(md)
	if len(list) != 2 || list[0].Name != "default" || list[1] != (Template{"tool_use", "tools"}) {
		t.Fatalf("%+v", list)
	}
	want := map[string]string{"question": "<s>[user]", "turns": "<s>[system][user][assistant][user]", "tools": "<s>[user][assistant][user]"} // the template shows no tools, so they are told in the messages
	for _, c := range Conversations {
		if got, err := Render(t.Context(), list[0].Source, c, nil); err != nil || got != want[c.Name] {
			t.Errorf("%s: %q, %v", c.Name, got, err)
		}
	}
	if _, err := Render(t.Context(), "{% if", Conversations[0], nil); err == nil {
		t.Error("a broken template is rendered")
	}
}

// FuzzSearch takes any query.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{"the", "#12-20", "/^a+$/", ":control end", ":", "#", "/", "/("} {
		f.Add(q)
	}
	all, err := ReadTokens(open(f).Metadata)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		ids, err := all.Search(t.Context(), query)
		if err != nil || len(ids) == 0 {
			return
		}
		if ids[0] < 0 || ids[len(ids)-1] >= all.Len() || !slices.IsSorted(ids) {
			t.Errorf("%q: %v", query, ids)
		}
	})
}
