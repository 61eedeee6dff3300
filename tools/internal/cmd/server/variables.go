package server

import (
	"os"

	"github.com/llamakit/llamakit/tools/internal/run"
)

// unsupported are the variables of llama.cpp's server that ask for what is not done here yet, and would change answers or who gets
// them. Others of its variables that are not read say how things are computed, and are ignored as their flags are.
var unsupported = []string{
	"HF_REPO", "HF_FILE", "MODEL_URL", "DOCKER_REPO", "MODELS_DIR", "MODELS_PRESET", "MMPROJ", "MMPROJ_URL", "RPC",
	"ROPE_SCALING_TYPE", "ROPE_SCALE", "ROPE_FREQ_BASE", "ROPE_FREQ_SCALE",
	"YARN_ORIG_CTX", "YARN_EXT_FACTOR", "YARN_ATTN_FACTOR", "YARN_BETA_SLOW", "YARN_BETA_FAST",
	"SPEC_DRAFT_MODEL", "SPEC_DRAFT_HF_REPO", "SPEC_TYPE", "DRAFT_MAX", "DRAFT_MIN",
	"REASONING_EFFORT", "SKIP_CHAT_PARSING",
	"TOOLS", "AGENT", "MCP_SERVERS_CONFIG", "MCP_SERVERS_JSON", "UI_MCP_PROXY", "REUSE_PORT",
}

// checkVariables refuses what the environment asks for in vain: silence would be taken for consent.
func checkVariables() error {
	for _, name := range unsupported {
		if name = "LLAMA_ARG_" + name; os.Getenv(name) != "" {
			return run.Usagef("%s is set: that is not supported here yet", name)
		}
	}
	return nil
}
