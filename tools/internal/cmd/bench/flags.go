package bench

import (
	"math"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// echoed are llama.cpp's parameters of devices, by the column that reports them. They change nothing here.
var echoed = []struct{ column, synopsis string }{
	{"n_gpu_layers", "-ngl, --n-gpu-layers N"}, {"n_cpu_moe", "-ncmoe, --n-cpu-moe N"}, {"split_mode", "-sm, --split-mode MODE"},
	{"main_gpu", "-mg, --main-gpu N"}, {"no_kv_offload", "-nkvo, --no-kv-offload 0|1"}, {"devices", "-dev, --device LIST"},
	{"tensor_split", "-ts, --tensor-split LIST"}, {"tensor_buft_overrides", "-ot, --override-tensor LIST"},
	{"load_mode", "-lm, --load-mode MODE"}, {"lazy_mode", "-lzm, --lazy-mode MODE"}, {"embeddings", "-embd, --embeddings 0|1"},
	{"no_op_offload", "-nopo, --no-op-offload 0|1"}, {"no_host", "--no-host 0|1"}, {"repack", "--repack 0|1"},
	{"cpu_mask", "-C, --cpu-mask HEX"}, {"cpu_strict", "--cpu-strict 0|1"}, {"poll", "--poll N"},
	{"fit_target", "-fitt, --fit-target MiB"}, {"fit_min_ctx", "-fitc, --fit-ctx N"},
}

var switches = map[string]string{"0": "0", "1": "1"}

var attentions = map[string]int{"on": 1, "1": 1, "enabled": 1, "off": 0, "0": 0, "disabled": 0, "auto": -1, "-1": -1}

func (o *options) flags() []cli.Flag {
	g := &o.grid
	return slices.Concat(flags.Group("Tests (several values: 1,2 or 1-8, 1-8+2, 1-8*2, or the flag again)",
		flags.New("-m, --model FILE", "GGUF file; of a split model any part", texts(&g.Models)),
		flags.New("-p, --n-prompt N", "tokens of a prompt (default: 512)", numbers(&g.Prompts, 0)),
		flags.New("-n, --n-gen N", "tokens of an answer (default: 128)", numbers(&g.Gens, 0)),
		flags.New("-pg PP,TG", "a prompt and an answer in one test", pair(&g.Pairs)),
		flags.New("-d, --n-depth N", "tokens in the cache before the test (default: 0)", numbers(&g.Depths, 0)),
		flags.New("-b, --batch-size N", "tokens handed over at a time (default: 2048)", numbers(&g.Batches, 1)),
		flags.New("-ub, --ubatch-size N", "rows computed at once at most (default: 512)", numbers(&g.UBatches, 1)),
		flags.New("-ctk, --cache-type-k TYPE", "type of cached keys (default: f16)", texts(&g.CacheK)),
		flags.New("-ctv, --cache-type-v TYPE", "type of cached values (default: f16)", texts(&g.CacheV)),
		flags.New("-t, --threads N", "compute threads (default: one a physical core)", numbers(&g.Threads, 1)),
		flags.New("-fa, --flash-attn on|off|auto", "attention is always fused; off forbids a quantised cache of values (default: auto)",
			words(&g.FlashAttn, attentions, "on, off, auto")),
	), flags.Group("How it is measured",
		flags.New("-r, --repetitions N", "repetitions of each test (default: 5)", flags.Int(&o.repetitions, 1, 1<<20)),
		flags.New("--delay SECONDS", "wait before each test (default: 0)", flags.Int(&o.delay, 0, 1<<20)),
		flags.New("--no-warmup", "no run that does not count before each test", flags.Switch(&o.noWarmup)),
		flags.New("--vs COMMAND", "another llama-bench that runs between the repetitions, in turn", flags.Text(&o.peer.Command)),
		flags.New("--vs-model FILE", "the model's name there (default: the same)", flags.Text(&o.peer.Model)),
		flags.New("--limits", "measure memory and arithmetic of this machine, and say how near each test comes", flags.Switch(&o.limits)),
		flags.New("--energy", "joules, where the processor counts them", flags.Switch(&o.energy)),
	), flags.Group("Many sequences at once",
		flags.New("--batched", "measure sequences that run at the same time, as llama-batched-bench does", flags.Switch(&o.batched)),
		flags.New("-npp N", "tokens of each prompt (default: 128)", numbers(&o.streams.Prompts, 1)),
		flags.New("-ntg N", "tokens of each answer (default: 32)", numbers(&o.streams.Gens, 1)),
		flags.New("-npl N", "sequences (default: 1,2,4,8,16)", numbers(&o.streams.Parallel, 1)),
		flags.New("-pps", "only with one prompt for all (default: with and without)", flags.Switch(&o.streams.OnlyShared)),
	), flags.Group("Output",
		flags.New("-o, --output FORMAT", "csv, json, jsonl, md or sql, on standard output (default: md)", flags.OneOf(&o.format, bench.Formats...)),
		flags.New("-oe, --output-err FORMAT", "the same on standard error (default: none)", flags.OneOf(&o.formatErr, bench.Formats...)),
		flags.New("--progress", "a line for each step on standard error", flags.Switch(&o.progress)),
		flags.New("--list-devices", "list devices and end", flags.Switch(&o.listDevices)),
	), flags.Group("Output", o.accepted()...))
}

// accepted are the flags that change nothing but the columns that report them.
func (o *options) accepted() (list []*flags.Flag) {
	o.grid.Other = map[string][]string{}
	for _, e := range echoed {
		f := flags.New(e.synopsis, "accepted and reported; changes nothing", o.echo(e.column)).Hide()
		if e.column == "n_gpu_layers" {
			f = flags.New(e.synopsis, "accepted and reported, as llama.cpp's other flags for devices are: layers stay on the CPU", o.echo(e.column))
		}
		list = append(list, f)
	}
	var ignored string
	var on bool
	return append(list, flags.New("--numa TYPE", "accepted; changes nothing", flags.Text(&ignored)).Hide(),
		flags.New("--prio N", "accepted; changes nothing", flags.Text(&ignored)).Hide(),
		flags.New("--offline", "accepted; changes nothing", flags.Switch(&on)).Hide(),
		flags.New("-v, --verbose", "accepted; changes nothing", flags.Switch(&on)).Hide())
}

// echo reads the values of a column that is only reported.
func (o *options) echo(column string) flags.Value {
	var read func(*[]string) flags.Value
	switch f := bench.FieldNamed(column); {
	case f.Kind == bench.Boolean || column == "no_op_offload":
		read = func(l *[]string) flags.Value { return words(l, switches, "0, 1") }
	case f.Kind == bench.Integer:
		read = func(l *[]string) flags.Value { return integers(l) }
	default:
		read = texts
	}
	return flags.Func(func(text string) error {
		list := o.grid.Other[column]
		err := read(&list).Set(text)
		o.grid.Other[column] = list
		return err
	})
}

// integers reads whole numbers into texts.
func integers(list *[]string) flags.Value {
	return appendEach(list, func(word string) (out []string, err error) {
		values, err := parseRange(word, math.MinInt32)
		for _, n := range values {
			out = append(out, itoa(n))
		}
		return out, err
	})
}
