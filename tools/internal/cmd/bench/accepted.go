package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/flags"
)

// list makes the value of a flag that adds to a list of texts.
type list = func(*[]string) flags.Value

// echoed are llama.cpp's parameters of devices, by the column that reports them. They change nothing here, but what llama.cpp
// refuses is refused.
var echoed = []struct {
	column, synopsis string
	read             list
}{
	{"n_gpu_layers", "-ngl, --n-gpu-layers N", integers(math.MinInt32)}, {"n_cpu_moe", "-ncmoe, --n-cpu-moe N", integers(0)},
	{"split_mode", "-sm, --split-mode MODE", among("none", "layer", "row", "tensor")}, {"main_gpu", "-mg, --main-gpu N", integers(0)},
	{"no_kv_offload", "-nkvo, --no-kv-offload 0|1", among("0", "1")}, {"devices", "-dev, --device LIST", texts},
	{"tensor_split", "-ts, --tensor-split LIST", checked(tensorSplit)}, {"tensor_buft_overrides", "-ot, --override-tensor LIST", checked(overrides)},
	{"load_mode", "-lm, --load-mode MODE", among("auto", "none", "mmap", "mlock", "mmap+mlock", "dio")},
	{"lazy_mode", "-lzm, --lazy-mode MODE", among("on", "auto", "off")}, {"embeddings", "-embd, --embeddings 0|1", among("0", "1")},
	{"no_op_offload", "-nopo, --no-op-offload 0|1", among("0", "1")}, {"no_host", "--no-host 0|1", among("0", "1")},
	{"repack", "--repack 0|1", among("0", "1")}, {"cpu_mask", "-C, --cpu-mask HEX", checked(cpuMask)},
	{"cpu_strict", "--cpu-strict 0|1", among("0", "1")}, {"poll", "--poll N", integers(0)},
	{"fit_target", "-fitt, --fit-target MiB", integers(0)}, {"fit_min_ctx", "-fitc, --fit-ctx N", integers(0)},
}

// accepted are the flags that change nothing but the columns that report them.
func (o *options) accepted() (out []*flags.Flag) {
	o.grid.Other = map[string][]string{}
	for _, e := range echoed {
		f := flags.New(e.synopsis, "accepted and reported; changes nothing", o.echo(e.column, e.read)).Hide()
		if e.column == "n_gpu_layers" {
			f = flags.New(e.synopsis, "accepted and reported, as llama.cpp's other flags for devices are: layers stay on the CPU", o.echo(e.column, e.read))
		}
		out = append(out, f)
	}
	var ignored string
	var priority int
	var on bool
	return append(out, flags.New("--numa TYPE", "accepted; changes nothing", flags.OneOf(&ignored, "distribute", "isolate", "numactl")).Hide(),
		flags.New("--prio N", "accepted; changes nothing", flags.Int(&priority, math.MinInt32, math.MaxInt32)).Hide(),
		flags.New("--offline", "accepted; changes nothing", flags.Switch(&on)).Hide(),
		flags.New("-v, --verbose", "accepted; changes nothing", flags.Switch(&on)).Hide())
}

// echo reads the values of a column that is only reported.
func (o *options) echo(column string, read list) flags.Value {
	return flags.Func(func(text string) error {
		values := o.grid.Other[column]
		err := read(&values).Set(text)
		o.grid.Other[column] = values
		return err
	})
}

// integers reads whole numbers of at least lo into texts.
func integers(lo int) list {
	return func(values *[]string) flags.Value {
		return appendEach(values, func(word string) (out []string, err error) {
			numbers, err := parseRange(word, lo)
			for _, n := range numbers {
				out = append(out, itoa(n))
			}
			return out, err
		})
	}
}

// among reads words of a choice.
func among(choice ...string) list {
	same := map[string]string{}
	for _, word := range choice {
		same[word] = word
	}
	return func(values *[]string) flags.Value { return words(values, same, strings.Join(choice, ", ")) }
}

// checked reads words, each in the form that is reported.
func checked(report func(string) (string, error)) list {
	return func(values *[]string) flags.Value {
		return appendEach(values, func(word string) ([]string, error) {
			text, err := report(word)
			return []string{text}, err
		})
	}
}

// tensorSplit is the shares of devices, with two places each.
func tensorSplit(word string) (string, error) {
	var shares []string
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == ';' }) {
		x, err := strconv.ParseFloat(part, 32)
		if err != nil || !(x >= 0) || math.IsInf(x, 1) {
			return "", fmt.Errorf("%q is not a list of numbers such as 3/1", word)
		}
		shares = append(shares, strconv.FormatFloat(x, 'f', 2, 64))
	}
	if len(shares) == 0 {
		return "", fmt.Errorf("an empty value")
	}
	return strings.Join(shares, "/"), nil
}

// overrides are pairs of a pattern and the buffer of its tensors.
func overrides(word string) (string, error) {
	for pair := range strings.SplitSeq(word, ";") {
		if _, buffer, ok := strings.Cut(pair, "="); !ok || buffer == "" {
			return "", fmt.Errorf("%q is not of the form PATTERN=BUFFER, or several with semicolons between them", word)
		}
	}
	return word, nil
}

// cpuMask is a number of any length.
func cpuMask(word string) (string, error) {
	if digits := strings.TrimPrefix(word, "0x"); word == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return "", fmt.Errorf("%q is not a hexadecimal number", word)
	}
	return word, nil
}
