package flags

// ignoredValues are flags of llama.cpp, with a value, that say where and how things are computed, never what comes out.
// Scripts carry them about, so they are taken; everything runs on the CPU, and they change nothing.
var ignoredValues = []string{
	"-ub, --ubatch-size N", "-tb, --threads-batch N", "-fa, --flash-attn on|off|auto",
	"-dev, --device LIST", "-sm, --split-mode MODE", "-ts, --tensor-split LIST", "-mg, --main-gpu N",
	"-ot, --override-tensor LIST", "-ncmoe, --n-cpu-moe N", "-ncffn, --n-cpu-ffn N", "--moe-cache-mib N",
	"--fit on|off", "-fitt, --fit-target LIST", "-fitc, --fit-ctx N",
	"-lm, --load-mode MODE", "-lzm, --lazy-mode MODE", "--numa TYPE",
	"-C, --cpu-mask M", "-Cr, --cpu-range RANGE", "--cpu-strict N", "--prio N", "--poll N",
	"-Cb, --cpu-mask-batch M", "-Crb, --cpu-range-batch RANGE", "--cpu-strict-batch N", "--prio-batch N", "--poll-batch N",
	"-dt, --defrag-thold N", "-cram, --cache-ram N", "-ctxcp, --ctx-checkpoints, --swa-checkpoints N",
	"-co, --color WHEN", "--log-file FILE", "--log-colors WHEN", "-lv, --verbosity, --log-verbosity N",
}

// ignoredSwitches are the same without a value.
var ignoredSwitches = []string{
	"-kvo, --kv-offload | -nkvo, --no-kv-offload", "--repack | -nr, --no-repack", "--op-offload | --no-op-offload", "--no-host",
	"-cmoe, --cpu-moe", "--swa-full", "--perf | --no-perf", "--warmup | --no-warmup", "--check-tensors", "--jinja", "--offline",
	"-bs, --backend-sampling", "--log-disable", "--log-prefix | --no-log-prefix", "--log-timestamps | --no-log-timestamps",
}

// accepted are the flags that are taken and do nothing. Only -ngl is in the help.
func accepted() []*Flag {
	var text string
	var on bool
	out := []*Flag{New("-ngl, --gpu-layers, --n-gpu-layers N", "accepted, as llama.cpp's other flags for devices are: layers stay on the CPU", Text(&text))}
	for _, synopsis := range ignoredValues {
		out = append(out, New(synopsis, "accepted; changes nothing", Text(&text)).Hide())
	}
	for _, synopsis := range ignoredSwitches {
		out = append(out, New(synopsis, "accepted; changes nothing", Switch(&on)).Hide())
	}
	return out
}
