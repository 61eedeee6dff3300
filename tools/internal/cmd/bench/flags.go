package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

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
		flags.New("--vs COMMAND", "another llama-bench that runs between the repetitions, in turn", flags.Func(o.setPeer)),
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

// setPeer takes the command of --vs; an empty one is a variable that somebody forgot.
func (o *options) setPeer(command string) error {
	if o.peer.Command = command; strings.TrimSpace(command) == "" {
		return fmt.Errorf("an empty command")
	}
	return nil
}
