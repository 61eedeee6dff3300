package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/client"
	"github.com/llamakit/llamakit/tui/dashboard"
)

// begin runs the command until stop, which returns the exit code. lines are what it logs.
func begin(t *testing.T, args ...string) (url string, lines <-chan string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	code, logged := make(chan int, 1), make(chan string, 1000)
	go func() {
		code <- run.Exec(ctx, Command("llama-server"), run.Streams{In: strings.NewReader(""), Out: io.Discard, Err: write}, args)
		write.Close()
	}()
	go func() {
		defer close(logged)
		for s := bufio.NewScanner(read); s.Scan(); {
			logged <- s.Text()
		}
	}()
	listening := regexp.MustCompile(`listening on (https?://[^" ]+)`)
	for line := range logged {
		if m := listening.FindStringSubmatch(line); m != nil {
			return m[1], logged, func() int { cancel(); return <-code }
		}
	}
	cancel()
	t.Fatalf("the command ended with %d", <-code)
	return "", nil, nil
}

// get asks until the model is there.
func get(t *testing.T, url string) string {
	t.Helper()
	for range 1000 {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusServiceUnavailable {
			return string(body)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the model does not load")
	return ""
}

func TestServe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	url, lines, stop := begin(t, "--port", "0", "--log-jsonl", "--log-file", file, "-a", "small,tiny", "-c", "256", "-np", "2")
	var found string
	for line := range lines {
		var entry struct {
			Note, Path string
			Status     int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if strings.Contains(entry.Note, "2 slots, context 128") {
			found = entry.Note
			break
		}
	}
	if found == "" {
		t.Error("no line says what was loaded")
	}
	if body := get(t, url+"/v1/models"); !strings.Contains(body, `"id":"small"`) || !strings.Contains(body, `"tiny"`) {
		t.Errorf("models: %s", body)
	}
	c, err := client.New(url, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := dashboard.NewRemote(c).Snapshot(context.Background())
	if err != nil || len(got.Slots) != 2 || got.Context != 128 || len(got.Pages.Map) != got.Pages.Total || got.Pages.Total == 0 || got.Devices[0].Layers == 0 {
		t.Errorf("watched from elsewhere: %+v, %v", got, err)
	}
	if code := stop(); code != run.Done {
		t.Errorf("exit code %d", code)
	}
	data, err := os.ReadFile(file)
	if text := string(data); !strings.Contains(text, "2 slots, context 128") || !strings.Contains(text, `"path":"/v1/models"`) || strings.Contains(text, "/status") {
		t.Errorf("the log's file: %q, %v", data, err)
	}
}

func TestFailures(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "x.gguf")
	if err := os.WriteFile(broken, []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("# no key\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{"--host", "0.0.0.0", "--port", "0"}, run.WrongUse, "--api-key"},
		{[]string{"--port", "70000"}, run.WrongUse, "0 to 65535"},
		{[]string{"--mlock"}, run.WrongUse, "--load-mode mlock"},
		{[]string{"--media-path", "x"}, run.WrongUse, "not supported here yet"},
		{[]string{"--spec-draft-p-min", "0.5"}, run.WrongUse, "not supported here yet"},
		{[]string{"--path", broken, "--port", "0"}, run.WrongUse, "folder for browsers"},
		{[]string{"--ssl-key-file", "x"}, run.WrongUse, "--ssl-cert-file"},
		{[]string{"model.gguf"}, run.WrongUse, "-m"},
		{[]string{"--api-key", "", "--port", "0"}, run.WrongUse, "no key"},
		{[]string{"--api-key", " , ", "--port", "0"}, run.WrongUse, "no key"},
		{[]string{"--api-key-file", empty, "--port", "0"}, run.WrongUse, "no key"},
		{[]string{"--slot-save-path", empty, "--port", "0"}, run.WrongUse, "folder of slots"},
		{[]string{"-m", broken, "--port", "0"}, run.Failed, "x.gguf"},
		{[]string{"--preset", broken}, run.WrongUse, "line 1"},
		{[]string{"--share", "--no-auth", "--host", "127.0.0.1"}, run.WrongUse, "--share"},
	} {
		var stderr bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		code := run.Exec(ctx, Command("llama-server"), run.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &stderr}, c.args)
		cancel()
		if code != c.code || !strings.Contains(stderr.String(), c.words) {
			t.Errorf("%v: code %d, %q", c.args, code, stderr.String())
		}
	}
}

func TestPreset(t *testing.T) {
	const file = "version = 1\nport = 1\n; a comment\n[*]\nctx-size = 100\n[small]\nLLAMA_ARG_TEMPERATURE = 0.5\nctx-size=200\n[large]\nn_predict = 3\n"
	for name, want := range map[string]string{
		"small": "[{1 version 1} {2 port 1} {5 ctx-size 100} {7 LLAMA_ARG_TEMPERATURE 0.5} {8 ctx-size 200}]",
		"large": "[{1 version 1} {2 port 1} {5 ctx-size 100} {10 n_predict 3}]",
		"":      "several sections",
		"none":  "no section [none]",
	} {
		got, err := parsePreset(file, name)
		if text := fmt.Sprint(got); text != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %s, %v", name, text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "p.ini")
	if err := os.WriteFile(path, []byte("[a]\nalias = preset\nparallel = 3\nport = 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	url, _, stop := begin(t, "--preset", path+":a", "-np", "1")
	if body := get(t, url+"/props"); !strings.Contains(body, `"model_alias":"preset"`) || !strings.Contains(body, `"total_slots":1`) {
		t.Errorf("props: %.300s", body)
	}
	stop()
}

func TestShare(t *testing.T) {
	url, lines, stop := begin(t, "--share", "--host", "127.0.0.1", "--port", "0")
	var shown string
	for line := range lines {
		if shown += line + "\n"; strings.Contains(line, "curl") {
			break
		}
	}
	key := regexp.MustCompile(`#key=(sk-[a-z0-9]{20,})`).FindStringSubmatch(shown)
	if key == nil || !strings.Contains(shown, url+"/#key=") || !strings.Contains(shown, "█") {
		t.Errorf("shown:\n%s", shown)
	}
	res, err := http.Get(url + "/v1/models")
	if err != nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the key: %v, %v", res, err)
	}
	res.Body.Close()
	stop()
}

// TestVariables: a variable that asks for what is not there is told of, one that changes nothing is not.
func TestVariables(t *testing.T) {
	t.Setenv("LLAMA_ARG_DEVICE", "none")
	t.Setenv("LLAMA_ARG_NO_UI", "1")
	t.Setenv("LLAMA_ARG_THINK_BUDGET", "8")
	url, _, stop := begin(t, "--port", "0")
	if body := get(t, url+"/props"); !strings.Contains(body, `"ui":false`) {
		t.Errorf("props: %.300s", body)
	}
	stop()
	t.Setenv("LLAMA_ARG_ROPE_SCALE", "2")
	var stderr bytes.Buffer
	code := run.Exec(context.Background(), Command("llama-server"), run.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &stderr}, nil)
	if code != run.WrongUse || !strings.Contains(stderr.String(), "LLAMA_ARG_ROPE_SCALE") {
		t.Errorf("code %d, %q", code, stderr.String())
	}
}

// harmless are variables of llama.cpp's server that are not read: they say how and where things are computed, or belong to others that
// are refused.
const harmless = `BACKEND_SAMPLING CACHE_IDLE_SLOTS CACHE_RAM CHECKPOINT_MIN_SPACING_NT CONT_BATCHING CPU_MOE CTX_CHECKPOINTS DEFRAG_THOLD
	DEVICE FIT FIT_CTX FIT_TARGET FLASH_ATTN IMAGE_MAX_TOKENS IMAGE_MIN_TOKENS KV_OFFLOAD LAZY_MODE LOAD_MODE LOG_COLORS LOG_PREFIX
	LOG_TIMESTAMPS LOG_VERBOSITY MAIN_GPU MMPROJ_AUTO MMPROJ_OFFLOAD MODELS_AUTOLOAD MODELS_MAX MOE_CACHE_MIB MTMD_BATCH_MAX_TOKENS NO_HOST
	NUMA N_CPU_FFN N_CPU_MOE N_GPU_LAYERS OFFLINE OVERRIDE_TENSOR PERF REPACK SPLIT_MODE SWA_FULL TENSOR_SPLIT THREADS_HTTP UBATCH UI_CONFIG
	UI_CONFIG_FILE VIDEO_FFMPEG_DIR VIDEO_FPS VIDEO_TIMESTAMP_INTERVAL`

// theirs are all that its help names, without LLAMA_ARG_, but for those.
const theirs = `AGENT ALIAS API_KEY_FILE API_PREFIX BATCH CACHE_PROMPT CACHE_REUSE CACHE_TYPE_K CACHE_TYPE_V CHAT_TEMPLATE
	CHAT_TEMPLATE_FILE CHAT_TEMPLATE_KWARGS CONTEXT_SHIFT CORS_CREDENTIALS CORS_HEADERS CORS_METHODS CORS_ORIGINS CTX_SIZE DOCKER_REPO
	DRAFT_MAX DRAFT_MIN EMBEDDINGS ENDPOINT_METRICS ENDPOINT_PROPS ENDPOINT_SLOTS FREQUENCY_PENALTY HF_FILE HF_REPO HOST KV_UNIFIED
	KV_UNIFIED_PER_SLOT LOG_FILE LOG_JSONL MCP_SERVERS_CONFIG MCP_SERVERS_JSON MIN_P MMPROJ MMPROJ_URL MODEL MODELS_DIR MODELS_PRESET MODEL_URL
	N_GPU_LAYERS_DRAFT N_PARALLEL N_PREDICT POOLING PORT PREFILL_ASSISTANT PRESENCE_PENALTY REASONING REASONING_EFFORT REASONING_PRESERVE
	REPEAT_PENALTY RERANKING REUSE_PORT ROPE_FREQ_BASE ROPE_FREQ_SCALE ROPE_SCALE ROPE_SCALING_TYPE RPC SKIP_CHAT_PARSING SLOT_SAVE_PATH
	SPEC_DRAFT_BACKEND_SAMPLING SPEC_DRAFT_CACHE_TYPE_K SPEC_DRAFT_CACHE_TYPE_V SPEC_DRAFT_CPU_MOE SPEC_DRAFT_HF_REPO SPEC_DRAFT_MODEL
	SPEC_DRAFT_N_CPU_MOE SPEC_DRAFT_N_MAX SPEC_DRAFT_N_MIN SPEC_DRAFT_N_UBATCH SPEC_DRAFT_P_MIN SPEC_DRAFT_P_SPLIT SPEC_DRAFT_SAMPLING
	SPEC_SYNTH_LEN SPEC_SYNTH_RATES SPEC_TYPE SSE_PING_INTERVAL SSL_CERT_FILE SSL_KEY_FILE STATIC_PATH TAGS TEMPERATURE THINK THINK_BUDGET
	THINK_BUDGET_MESSAGE THREADS TIMEOUT TOOLS TOOLS_RUNTIME TOP_K TOP_P UI UI_MCP_PROXY YARN_ATTN_FACTOR YARN_BETA_FAST YARN_BETA_SLOW
	YARN_EXT_FACTOR YARN_ORIG_CTX`

// TestAllVariables: every variable is read, or refused, or harmless, and none of them two of it.
func TestAllVariables(t *testing.T) {
	read := map[string]bool{}
	for _, f := range newOptions().flags() {
		if d, ok := f.(cli.DocGenerationFlag); ok {
			for _, name := range d.GetEnvVars() {
				read[name] = true
			}
		}
	}
	for _, name := range strings.Fields(theirs) {
		if name = "LLAMA_ARG_" + name; read[name] == refused(name, "1") {
			t.Errorf("%s: read is %v, and so is refused", name, read[name])
		}
	}
	for _, name := range strings.Fields(harmless) {
		if name = "LLAMA_ARG_" + name; read[name] || refused(name, "1") {
			t.Errorf("%s: read is %v, refused the opposite", name, read[name])
		}
	}
	for entry, want := range map[string]bool{"LLAMA_ARG_SPEC_TYPE=none": false, "LLAMA_ARG_AGENT=0": false, "LLAMA_ARG_MMPROJ=": false, "SPEC_TYPE=x": false,
		"LLAMA_ARG_JINJA=1": false, "LLAMA_ARG_JINJA=false": true, "LLAMA_ARG_NO_JINJA=": true} {
		if name, value, _ := strings.Cut(entry, "="); refused(name, value) != want {
			t.Errorf("%s: refused is %v", entry, !want)
		}
	}
}
