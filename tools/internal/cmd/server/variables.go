package server

import (
	"os"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/run"
)

// unsupported are the variables of llama.cpp's server, without LLAMA_ARG_, that ask for what is not done here yet, and would change
// answers or who gets them; so do all that begin with SPEC_. Others of its variables that are not read say how things are computed,
// and are ignored as their flags are.
var unsupported = []string{
	"HF_REPO", "HF_FILE", "MODEL_URL", "DOCKER_REPO", "MODELS_DIR", "MODELS_PRESET", "MMPROJ", "MMPROJ_URL", "RPC",
	"ROPE_SCALING_TYPE", "ROPE_SCALE", "ROPE_FREQ_BASE", "ROPE_FREQ_SCALE",
	"YARN_ORIG_CTX", "YARN_EXT_FACTOR", "YARN_ATTN_FACTOR", "YARN_BETA_SLOW", "YARN_BETA_FAST",
	"DRAFT_MAX", "DRAFT_MIN", "N_GPU_LAYERS_DRAFT",
	"REASONING_EFFORT", "REASONING_PRESERVE", "SKIP_CHAT_PARSING",
	"TOOLS", "TOOLS_RUNTIME", "AGENT", "MCP_SERVERS_CONFIG", "MCP_SERVERS_JSON", "UI_MCP_PROXY", "REUSE_PORT",
}

// checkVariables refuses what the environment asks for in vain: silence would be taken for consent.
func checkVariables() error {
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if refused(name, value) {
			return run.Usagef("%s is set: that is not supported here yet", name)
		}
	}
	return nil
}

// refused says whether a variable asks for what is not there. Off is what everything is that is not there.
func refused(name, value string) bool {
	name, ours := strings.CutPrefix(name, "LLAMA_ARG_")
	off := slices.Contains([]string{"", "0", "off", "false", "disabled", "none"}, strings.ToLower(value))
	switch {
	case !ours:
		return false
	case name == "JINJA":
		return off
	case name == "NO_JINJA": // whatever its value
		return true
	}
	return !off && (slices.Contains(unsupported, name) || strings.HasPrefix(name, "SPEC_"))
}
