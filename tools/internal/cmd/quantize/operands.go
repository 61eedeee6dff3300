package quantize

import (
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// operands reads MODEL [OUTPUT] TYPE [THREADS]. What stands second is a type if it is the name of one.
func (o *options) operands(args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.aimed() {
		args = withType(args)
	}
	if len(args) < 2 {
		return run.Usagef("give a model and a type: MODEL.gguf [OUTPUT.gguf] TYPE [THREADS]")
	}
	o.input, args = args[0], args[1:]
	t, ok := mixture.ParseFileType(args[0])
	if !ok {
		o.target, args = args[0], args[1:]
		if len(args) == 0 {
			return run.Usagef("%q is not a type, and nothing follows it that could be (--help lists them)", o.target)
		}
		if t, ok = mixture.ParseFileType(args[0]); !ok {
			return run.Usagef("%q is not a type (--help lists them)", args[0])
		}
	}
	o.file = t
	if o.target == "" {
		o.target = filepath.Join(filepath.Dir(o.input), "ggml-model-"+t.Name+".gguf")
	}
	return o.lastOperand(args[1:])
}

// aimed reports whether types are to be chosen for a size.
func (o *options) aimed() bool { return o.targetSize > 0 || o.targetBPW > 0 }

// withType completes operands without TYPE, where a size stands for it; a number is one of threads then. The file says
// that it is Q4_K_M: readers take the types from the tensors.
func withType(args []string) []string {
	n := min(2, len(args))
	for _, arg := range args[min(1, n):min(3, len(args))] {
		if _, ok := mixture.NamedFileType(arg); ok {
			return args
		}
	}
	return append(append(append([]string{}, args[:n]...), "Q4_K_M"), args[n:]...)
}

func (o *options) lastOperand(args []string) error {
	o.threads = runtime.GOMAXPROCS(0)
	if len(args) > 1 {
		return run.Usagef("unexpected operand %q", args[1])
	}
	if len(args) == 1 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n > 4096 {
			return run.Usagef("%q is not a number of threads", args[0])
		}
		if n > 0 {
			o.threads = n
		}
	}
	return nil
}

// check refuses flags that do not go together.
func (o *options) check() error {
	switch formats := count(o.json, o.csv, o.md); {
	case o.targetSize > 0 && o.targetBPW > 0:
		return run.Usagef("--target-size and --target-bpw cannot be used together")
	case o.pure && o.aimed():
		return run.Usagef("--pure cannot be used with a target: that chooses a type for each tensor")
	case len(o.include) > 0 && len(o.exclude) > 0:
		return run.Usagef("--include-weights and --exclude-weights cannot be used together")
	case formats > 1:
		return run.Usagef("give one of --json, --csv and --md")
	case (formats > 0 || o.context > 0) && !o.onlyTells():
		return run.Usagef("--json, --csv, --md and -c go with --dry-run")
	}
	return nil
}

// onlyTells reports whether nothing is to be written.
func (o *options) onlyTells() bool { return o.dryRun || o.measure || o.full }

func count(switches ...bool) (n int) {
	for _, on := range switches {
		if on {
			n++
		}
	}
	return n
}
