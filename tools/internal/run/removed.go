package run

// removed names the flags that llama.cpp had and v0.7.0 refuses, with what to write instead.
var removed = map[string]string{
	"mlock":               "use --load-mode mlock",
	"mmap":                "use --load-mode mmap",
	"no-mmap":             "use --load-mode none",
	"dio":                 "use --load-mode dio",
	"direct-io":           "use --load-mode dio",
	"ndio":                "use --load-mode mmap",
	"no-direct-io":        "use --load-mode mmap",
	"draft":               "use --spec-draft-n-max or --spec-ngram-mod-n-max",
	"draft-n":             "use --spec-draft-n-max or --spec-ngram-mod-n-max",
	"draft-max":           "use --spec-draft-n-max or --spec-ngram-mod-n-max",
	"draft-min":           "use --spec-draft-n-min or --spec-ngram-mod-n-min",
	"draft-n-min":         "use --spec-draft-n-min or --spec-ngram-mod-n-min",
	"spec-ngram-size-n":   "use --spec-ngram-simple-size-n, --spec-ngram-map-k-size-n or --spec-ngram-mod-n-match",
	"spec-ngram-size-m":   "use --spec-ngram-simple-size-m or --spec-ngram-map-k-size-m",
	"spec-ngram-min-hits": "use --spec-ngram-simple-min-hits or --spec-ngram-map-k-min-hits",
	"chatml":              "use --chat-template chatml",
	"instruct":            "a chat template does its work: leave it out",
	"no-penalize-nl":      "newlines are not penalised any more: leave it out",
	"penalize-nl":         "list newlines with --logit-bias instead",
	"tfs":                 "use --typical, --top-p or --min-p",
}

// missing are flags of llama.cpp whose work is not done here yet. To say so is better than to guess at a spelling.
var missing = []string{
	"hf", "hfr", "hf-repo", "hff", "hf-file", "hft", "hf-token", "mu", "model-url", "dr", "docker-repo", "cl", "cache-list",
	"lora", "lora-scaled", "control-vector", "control-vector-scaled", "control-vector-layer-range",
	"mm", "mmproj", "mmu", "mmproj-url", "image", "audio", "video", "rpc", "override-kv", "server-base",
	"rope-scaling", "rope-scale", "rope-freq-base", "rope-freq-scale",
	"yarn-orig-ctx", "yarn-ext-factor", "yarn-attn-factor", "yarn-beta-slow", "yarn-beta-fast",
	"md", "model-draft", "nextn", "spec-draft-model", "spec-draft-n-max", "spec-draft-n-min", "spec-type",
	"reasoning-format", "reasoning-effort",
	"media-path", "models-dir", "models-preset", "models-max", "models-autoload", "sleep-idle-seconds", "reuse-port",
	"tools", "tools-runtime", "agent", "ag", "mcp-servers-config", "mcp-servers-json", "ui-mcp-proxy", "log-prompts-dir", "spm-infill",
	"lookup-cache-static", "lcs", "lookup-cache-dynamic", "lcd", "skip-chat-parsing", "lora-init-without-apply",
	"prompt-cache", "prompt-cache-all", "prompt-cache-ro", "in-prefix", "in-suffix", "in-prefix-bos", "bf", "binary-file",
}
