package bench

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// Kind is how a column is written: quoted in JSON or not, and its type in SQL.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota
	Integer
	Real
	Boolean // true and false in JSON, 1 and 0 elsewhere
)

// Field is a column of llama.cpp's llama-bench.
type Field struct {
	Name string
	Kind Kind
	// Echo marks parameters of devices that change nothing here: they are reported as given. Default is their value where
	// nothing is given.
	Echo    bool
	Default string

	value func(r *Result) any // of columns that are not echoed
}

// Fields are the columns in llama.cpp v0.7.0's order.
var Fields = []Field{
	text("build_commit", func(r *Result) any { return r.Commit }),
	integer("build_number", func(r *Result) any { return r.Number }),
	text("cpu_info", func(r *Result) any { return r.CPU }),
	text("gpu_info", func(r *Result) any { return r.GPU }),
	text("backends", func(r *Result) any { return r.Backends }),
	text("model_filename", func(r *Result) any { return r.Model }),
	text("model_type", func(r *Result) any { return r.Description }),
	integer("model_size", func(r *Result) any { return r.Size }),
	integer("model_n_params", func(r *Result) any { return r.Parameters }),
	integer("n_batch", func(r *Result) any { return r.Batch }),
	integer("n_ubatch", func(r *Result) any { return r.UBatch }),
	integer("n_threads", func(r *Result) any { return r.Threads }),
	echo("cpu_mask", Text, "0x0"),
	echo("cpu_strict", Boolean, "0"),
	echo("poll", Integer, "50"),
	text("type_k", func(r *Result) any { return r.CacheK }),
	text("type_v", func(r *Result) any { return r.CacheV }),
	echo("n_gpu_layers", Integer, "-1"),
	echo("n_cpu_moe", Integer, "0"),
	echo("split_mode", Text, "layer"),
	echo("main_gpu", Integer, "0"),
	echo("no_kv_offload", Boolean, "0"),
	integer("flash_attn", func(r *Result) any { return r.FlashAttn }),
	echo("devices", Text, "auto"),
	echo("tensor_split", Text, "0.00"),
	echo("tensor_buft_overrides", Text, "none"),
	echo("load_mode", Text, "auto"),
	echo("lazy_mode", Text, "auto"),
	echo("embeddings", Boolean, "0"),
	echo("no_op_offload", Integer, "0"),
	echo("no_host", Boolean, "0"),
	echo("repack", Boolean, "1"),
	echo("fit_target", Integer, "0"),
	echo("fit_min_ctx", Integer, "0"),
	integer("n_prompt", func(r *Result) any { return r.Prompt }),
	integer("n_gen", func(r *Result) any { return r.Gen }),
	integer("n_depth", func(r *Result) any { return r.Depth }),
	text("test_time", func(r *Result) any { return r.Begin.UTC().Format(time.RFC3339) }),
	integer("avg_ns", func(r *Result) any { return int64(mean(r.Nanoseconds())) }),
	integer("stddev_ns", func(r *Result) any { return int64(stddev(r.Nanoseconds())) }),
	{Name: "avg_ts", Kind: Real, value: func(r *Result) any { average, _ := r.Speed(); return average }},
	{Name: "stddev_ts", Kind: Real, value: func(r *Result) any { _, deviation := r.Speed(); return deviation }},
}

func text(name string, value func(*Result) any) Field { return Field{Name: name, value: value} }
func integer(name string, value func(*Result) any) Field {
	return Field{Name: name, Kind: Integer, value: value}
}
func echo(name string, k Kind, def string) Field {
	return Field{Name: name, Kind: k, Echo: true, Default: def}
}

// FieldNamed returns the column of that name.
func FieldNamed(name string) *Field {
	if i := slices.IndexFunc(Fields, func(f Field) bool { return f.Name == name }); i >= 0 {
		return &Fields[i]
	}
	return nil
}

// Text is the value of the column as CSV, SQL and Markdown have it.
func (f *Field) Text(r *Result) string {
	if f.Echo {
		if v, ok := r.Other[f.Name]; ok {
			return v
		}
		return f.Default
	}
	return plain(f.value(r))
}

// plain writes a value; real numbers have six places.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "" // not known
		}
		return strconv.FormatFloat(v, 'f', 6, 64)
	}
	return ""
}
