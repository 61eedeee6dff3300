package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// options are what the command line says.
type options struct {
	flags.Model
	flags.Sampling
	flags.Grammar
	serve serve.Options

	aliases           []string
	pooling           string
	parallel, perSlot int
	unified           *bool
	share, jsonLines  bool
	noTUI, rerank     bool
	cacheReuse        int
	preset, logFile   string
}

func newOptions() *options {
	o := &options{parallel: -1}
	o.Embedded, o.EmbeddedName = demo.Model(), demo.Name
	o.ContextHelp = "tokens that all slots hold together; with -np each has its share (default: 0, what the model was trained for)"
	o.serve.Port, o.serve.Credentials = 9931, true
	return o
}

// flags are all of the command, group by group.
func (o *options) flags() []cli.Flag {
	return slices.Concat(o.listenFlags(), o.accessFlags(), o.endpointFlags(), o.slotFlags(), o.modelFlags(), o.chatFlags(), o.SamplingFlags(), o.GrammarFlags(),
		o.logFlags(), ignored())
}

// modelFlags are those of all tools, of which most have no log to write to a file.
func (o *options) modelFlags() []cli.Flag {
	return slices.DeleteFunc(o.ModelFlags(), func(f cli.Flag) bool { return slices.Contains(f.Names(), "log-file") })
}

func (o *options) listenFlags() []cli.Flag {
	s := &o.serve
	return flags.Group("Address",
		flags.New("--host HOST", "addresses to listen on, separated by commas, or paths of sockets that end in .sock (default: 127.0.0.1)", list(&s.Hosts)).Env("LLAMA_ARG_HOST"),
		flags.New("--port PORT", "port (default: 9931; 0 = a free one)", flags.Int(&s.Port, 0, 65535)).Env("LLAMA_ARG_PORT"),
		flags.New("--share", "listen on this machine's address in the local network, with a key; print the URL as text and QR code", flags.Switch(&o.share)),
		flags.New("--api-prefix PREFIX", "prefix of all paths, without a slash at its end", flags.Text(&s.Prefix)).Env("LLAMA_ARG_API_PREFIX"),
		flags.New("--ssl-cert-file FILE", "certificate in PEM, for TLS", flags.Text(&s.CertFile)).Env("LLAMA_ARG_SSL_CERT_FILE"),
		flags.New("--ssl-key-file FILE", "its private key", flags.Text(&s.KeyFile)).Env("LLAMA_ARG_SSL_KEY_FILE"),
	)
}

func (o *options) accessFlags() []cli.Flag {
	s := &o.serve
	return flags.Group("Access and limits",
		flags.New("--api-key KEYS", "who may ask must have one of these keys, separated by commas", flags.Func(o.setKeys)).Env("LLAMA_API_KEY"),
		flags.New("--api-key-file FILE", "file with a key a line; lines that begin with # are comments", flags.Func(o.setKeyFile)).Env("LLAMA_ARG_API_KEY_FILE"),
		flags.New("--no-auth", "without a key, listen also on addresses that others reach", flags.Switch(&s.NoAuth)),
		flags.New("--cors-origins LIST", "origins whose pages may ask, separated by commas; localhost: every loopback origin (default: localhost; * = all)", list(&s.Origins)).Env("LLAMA_ARG_CORS_ORIGINS"),
		flags.New("--cors-methods LIST", "methods that they may use (default: GET, POST, DELETE, OPTIONS)", flags.Text(&s.Methods)).Env("LLAMA_ARG_CORS_METHODS"),
		flags.New("--cors-headers LIST", "headers that they may send (default: those that they ask for)", flags.Text(&s.Headers)).Env("LLAMA_ARG_CORS_HEADERS"),
		flags.New("--cors-credentials | --no-cors-credentials", "they may send cookies; never with --cors-origins '*' (default: they may)", flags.Switch(&s.Credentials)).Env("LLAMA_ARG_CORS_CREDENTIALS"),
		flags.New("-to, --timeout N", "seconds that reading and writing may take (default: 3600)", seconds(&s.Timeout, 1)).Env("LLAMA_ARG_TIMEOUT"),
		flags.New("--sse-ping-interval N", "seconds after which a quiet stream says that it lives (default: 30, -1 = never)", seconds(&s.Ping, -1)).Env("LLAMA_ARG_SSE_PING_INTERVAL"),
		flags.New("--grace-period N", "seconds that answers have to finish when the server stops (default: 10)", seconds(&s.Grace, 1)),
		flags.New("--queue-size N", "answers that may wait; more are refused with 429 (default: 1024)", flags.Int(&s.Queue, 1, 1<<20)),
		flags.New("--body-limit MIB", "size of a request in MiB (default: 32)", flags.Func(o.setBody)),
	)
}

func (o *options) endpointFlags() []cli.Flag {
	s := &o.serve
	return flags.Group("Endpoints",
		flags.New("-a, --alias NAMES", "what the API calls the model, separated by commas (default: its path)", list(&o.aliases)).Env("LLAMA_ARG_ALIAS"),
		flags.New("--tags NAMES", "tags of the model in /v1/models, separated by commas", list(&s.Tags)).Env("LLAMA_ARG_TAGS"),
		flags.New("--metrics", "GET /metrics for Prometheus", flags.Switch(&s.Metrics)).Env("LLAMA_ARG_ENDPOINT_METRICS"),
		flags.New("--props", "POST /props", flags.Switch(&s.Props)).Env("LLAMA_ARG_ENDPOINT_PROPS"),
		flags.New("--slots | --no-slots", "GET /slots (default: on)", flags.SwitchOff(&s.NoSlots)).Env("LLAMA_ARG_ENDPOINT_SLOTS"),
		flags.New("--ui, --webui | --no-ui, --no-webui", "the page for browsers (default: on)", flags.SwitchOff(&s.NoPage)).Env("LLAMA_ARG_UI"),
		flags.New("--path DIR", "show browsers the files of this folder instead", flags.Text(&s.PagePath)).Env("LLAMA_ARG_STATIC_PATH"),
		flags.New("--embedding, --embeddings", "embeddings only: logits of tokens are not computed", flags.Switch(&o.Options.Embed)).Env("LLAMA_ARG_EMBEDDINGS"),
		flags.New("--rerank, --reranking", "scores of documents, for a reranker", flags.Switch(&o.rerank)).Env("LLAMA_ARG_RERANKING"),
		flags.New("--pooling KIND", "how hidden states become an embedding: none, mean, cls or last (default: the model's)", flags.OneOf(&o.pooling, "none", "mean", "cls", "last")).Env("LLAMA_ARG_POOLING"),
	)
}

func (o *options) slotFlags() []cli.Flag {
	s := &o.serve
	return flags.Group("Slots and cache",
		flags.New("-np, --parallel N", "answers that are generated at the same time (default: -1, 4)", flags.Int(&o.parallel, -1, 1<<10)).Env("LLAMA_ARG_N_PARALLEL"),
		flags.New("-kvu, --kv-unified | -no-kvu, --no-kv-unified", "every slot may use the whole context (default: unless -np is given)", flags.Pointer(&o.unified, flags.Switch)).Env("LLAMA_ARG_KV_UNIFIED"),
		flags.New("--kv-unified-per-slot N", "tokens that one slot may hold", flags.Int(&o.perSlot, 1, 1<<24)).Env("LLAMA_ARG_KV_UNIFIED_PER_SLOT"),
		flags.New("--cache-prompt | --no-cache-prompt", "reuse what earlier prompts began with (default: yes)", flags.SwitchOff(&s.NoCache)).Env("LLAMA_ARG_CACHE_PROMPT"),
		flags.New("--slot-save-path DIR", "folder that POST /slots/{id}?action=save writes to, and restore reads from", flags.Text(&s.SlotPath)).Env("LLAMA_ARG_SLOT_SAVE_PATH"),
		flags.New("--cache-reuse N", "accepted, and changes nothing: what is cached at other positions remembers another past", flags.Int(&o.cacheReuse, 0, 1<<30)).Env("LLAMA_ARG_CACHE_REUSE"),
		flags.New("--context-shift | --no-context-shift", "forget the oldest half when the context is full (default: end)", flags.Switch(&s.Shift)).Env("LLAMA_ARG_CONTEXT_SHIFT"),
		flags.New("--keep N", "tokens that a context shift keeps at the beginning (default: 0)", flags.Int(&s.Keep, -1, 1<<30)),
		flags.New("-n, --predict, --n-predict N", "tokens of an answer at most, where the request does not say (default: -1, no limit)", flags.Int(&s.Predict, -1, 1<<30)).Env("LLAMA_ARG_N_PREDICT"),
	)
}

func (o *options) chatFlags() []cli.Flag {
	s := &o.serve
	return flags.Group("Conversations",
		flags.New("--chat-template TEMPLATE", "Jinja template instead of the model's", flags.Text(&o.Options.Template)).Env("LLAMA_ARG_CHAT_TEMPLATE"),
		flags.New("--chat-template-file FILE", "file with the template", flags.File(&o.Options.Template)).Env("LLAMA_ARG_CHAT_TEMPLATE_FILE"),
		flags.New("--chat-template-kwargs JSON", "object of further variables for the template", flags.Object(&s.Kwargs)).Env("LLAMA_ARG_CHAT_TEMPLATE_KWARGS"),
		flags.New("-rea, --reasoning on|off|auto", "ask the template for a reasoning phase or against it (default: auto)", flags.Reasoning(&s.Thinking)).Env("LLAMA_ARG_REASONING"),
		flags.New("--reasoning-format FORMAT", "where reasoning goes: none (the content), deepseek (a field of its own), deepseek-legacy (both) or auto (default: auto)",
			flags.OneOf(&s.ReasoningFormat, "none", "deepseek", "deepseek-legacy", "auto")).Env("LLAMA_ARG_THINK"),
		flags.New("--reasoning-budget N", "tokens that the reasoning may take; 0: none at all (default: -1, any number)", flags.ReasoningBudget(&s.ReasoningLimit)).Env("LLAMA_ARG_THINK_BUDGET"),
		flags.New("--reasoning-budget-message TEXT", "what stands at the end of a reasoning that was cut", flags.Text(&s.ReasoningEnd)).Env("LLAMA_ARG_THINK_BUDGET_MESSAGE"),
		flags.New("--parse-user-specials", "messages and results of tools may spell control tokens, and so end a turn (default: there they are characters)", flags.Switch(&s.UserSpecials)),
		flags.New("--prefill-assistant | --no-prefill-assistant", "an assistant's last message is the beginning of the answer (default: yes)", flags.SwitchOff(&s.NoPrefill)).Env("LLAMA_ARG_PREFILL_ASSISTANT"),
	)
}

func (o *options) logFlags() []cli.Flag {
	return flags.Group("Log",
		flags.New("--log-file FILE", "write the log to this file too, also under the dashboard", flags.Text(&o.logFile)).Env("LLAMA_ARG_LOG_FILE"),
		flags.New("--log-jsonl | --no-log-jsonl", "log in JSON, a line a request", flags.Switch(&o.jsonLines)).Env("LLAMA_ARG_LOG_JSONL"),
		flags.New("--no-tui", "lines of log on a terminal too, instead of the dashboard", flags.Switch(&o.noTUI)),
		flags.New("--log-prompts", "log prompts and answers too", flags.Switch(&o.serve.LogText)),
		flags.New("--preset FILE[:NAME]", "flags of the section NAME in an INI file, and of [*]; the command line and variables win", flags.Text(&o.preset)),
	)
}

// ignored are flags of llama.cpp's server that change nothing here, and that scripts carry about.
func ignored() []cli.Flag {
	var text string
	var on bool
	var all []*flags.Flag
	for _, synopsis := range []string{"--threads-http N", "-sps, --slot-prompt-similarity N", "-cms, --checkpoint-min-step N",
		"--embd-normalize N", "--ui-config, --webui-config JSON", "--ui-config-file, --webui-config-file FILE"} {
		all = append(all, flags.New(synopsis, "accepted; changes nothing", flags.Text(&text)).Hide())
	}
	for _, synopsis := range []string{"-cb, --cont-batching | -nocb, --no-cont-batching", "-v, --verbose, --log-verbose", "--cache-idle-slots | --no-cache-idle-slots",
		"--mmproj-auto | --no-mmproj, --no-mmproj-auto", "--mmproj-offload | --no-mmproj-offload", "-e, --escape | --no-escape"} {
		all = append(all, flags.New(synopsis, "accepted; changes nothing", flags.Switch(&on)).Hide())
	}
	return flags.Group("Log", all...)
}

// list stores texts that commas separate; given again, it adds to them.
func list(p *[]string) flags.Value {
	return flags.Func(func(text string) error {
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				*p = append(*p, item)
			}
		}
		return nil
	})
}

// seconds stores a number of seconds from lo.
func seconds(p *time.Duration, lo int) flags.Value {
	var n int
	inner := flags.Int(&n, lo, 1<<30)
	return flags.Func(func(text string) error {
		if err := inner.Set(text); err != nil {
			return err
		}
		*p = time.Duration(n) * time.Second
		return nil
	})
}

// setKeys adds keys. None at all is a mistake, as where a variable of a script is empty: everybody could ask.
func (o *options) setKeys(text string) error {
	before := len(o.serve.Keys)
	if err := list(&o.serve.Keys).Set(text); err != nil {
		return err
	}
	if len(o.serve.Keys) == before {
		return errors.New("there is no key in it, and without one everybody may ask")
	}
	return nil
}

// setKeyFile adds the keys of a file: a line each, unless it begins with a hash.
func (o *options) setKeyFile(path string) error {
	text := ""
	if err := flags.File(&text).Set(path); err != nil {
		return err
	}
	before := len(o.serve.Keys)
	for line := range strings.Lines(text) {
		if key := strings.TrimSpace(line); key != "" && !strings.HasPrefix(key, "#") {
			o.serve.Keys = append(o.serve.Keys, key)
		}
	}
	if len(o.serve.Keys) == before {
		return fmt.Errorf("%s: there is no key in it, and without one everybody may ask", path)
	}
	return nil
}

func (o *options) setBody(text string) error {
	var mib int
	if err := flags.Int(&mib, 1, 1<<20).Set(text); err != nil {
		return err
	}
	o.serve.Body = int64(mib) << 20
	return nil
}
