package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/sample"
)

// Options configure a server; the zero value serves one model on a loopback address.
type Options struct {
	Model   string   // what the API calls the model
	Aliases []string // further names of it
	Tags    []string
	Path    string // of the model's file, for /props
	Version string // of the program

	Hosts    []string // addresses, or paths of Unix sockets that end in .sock; none: 127.0.0.1
	Port     int      // 0: any free one
	CertFile string   // with KeyFile: TLS
	KeyFile  string
	Prefix   string // of all paths, without a slash at its end

	Keys   []string // who may ask; none: everybody who reaches the address
	NoAuth bool     // addresses that are not loopback may be bound without keys

	Origins     []string // that browsers may ask from; none: "localhost", every loopback origin
	Methods     string   // for Access-Control-Allow-Methods; "": GET, POST, DELETE, OPTIONS
	Headers     string   // for Access-Control-Allow-Headers; "": what the browser asks for
	Credentials bool

	Metrics, Props, NoSlots bool // endpoints that are off, off and on by default

	NoPage   bool   // nothing is shown to browsers
	PagePath string // folder whose files are shown instead of the page; "": the page

	SlotPath string // folder that slots are saved to; "": they are not

	Queue   int           // answers that wait at most; 0: 1024
	Body    int64         // bytes of a request at most; 0: 32 MiB
	Timeout time.Duration // of reading and writing; 0: an hour
	Ping    time.Duration // a quiet stream says so this often; 0: 30 s, negative: never
	Grace   time.Duration // that streams have to finish when the server stops; 0: 10 s

	Sampling        func(sample.Params) sample.Params // changes the model's defaults; nil: none
	Grammar         *grammar.Grammar                  // of answers whose request does not ask for a form; nil: any form
	GBNF            string                            // instead: its text, which may name tokens of the model
	Predict         int                               // tokens of an answer at most, where the request does not say; 0: no limit
	Kwargs          map[string]any                    // chat_template_kwargs of all requests
	Thinking        engine.Thinking
	ReasoningFormat string         // "": auto
	ReasoningLimit  int            // tokens of a reasoning, as engine.Request has it, where the request does not say
	ReasoningEnd    string         // likewise
	UserSpecials    bool           // messages may spell control tokens
	NoPrefill       bool           // an assistant's last message is not the beginning of the answer
	NoCache         bool           // prompts are computed anew unless a request says otherwise
	Shift           bool           // context shift
	Keep            int            // tokens that it keeps
	Pooling         engine.Pooling // "": the model's

	Log     func(Entry) // called once a request; nil: nothing is logged
	LogText bool        // entries hold prompts and answers
}

// Limits that no option changes.
const (
	maxPrompts  = 1024 // in one request
	maxStops    = 256
	maxPieces   = 1 << 20 // elements of a prompt, tokens to detokenize
	maxFileName = 255     // bytes, of a saved slot
	headerWait  = 10 * time.Second
	maxBodyWait = time.Minute
	maxReadWait = time.Minute // that a reader of a stream may take nothing
)

func (o *Options) resolve() {
	o.Model = cmp.Or(o.Model, "model")
	o.Queue = cmp.Or(o.Queue, 1024)
	o.Body = cmp.Or(o.Body, 32<<20)
	o.Timeout = cmp.Or(o.Timeout, time.Hour)
	o.Ping = cmp.Or(o.Ping, 30*time.Second)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
	o.Methods = cmp.Or(o.Methods, "GET, POST, DELETE, OPTIONS")
	o.ReasoningFormat = cmp.Or(o.ReasoningFormat, "auto")
	o.Prefix = strings.TrimRight(o.Prefix, "/")
	if len(o.Hosts) == 0 {
		o.Hosts = []string{"127.0.0.1"}
	}
	if len(o.Origins) == 0 {
		o.Origins = []string{"localhost"}
	}
}

// check refuses what would be unsafe or cannot work.
func (o *Options) check() error {
	if (o.CertFile == "") != (o.KeyFile == "") {
		return errors.New("TLS needs both a certificate and a key (--ssl-cert-file, --ssl-key-file)")
	}
	if o.Prefix != "" && !strings.HasPrefix(o.Prefix, "/") {
		return fmt.Errorf("the prefix %q must begin with a slash", o.Prefix)
	}
	if o.SlotPath != "" {
		if info, err := os.Stat(o.SlotPath); err != nil || !info.IsDir() {
			return fmt.Errorf("the folder of slots: %s is none", o.SlotPath)
		}
	}
	for _, host := range o.Hosts {
		if !isLoopback(host) && len(o.Keys) == 0 && !o.NoAuth {
			return fmt.Errorf("host %s can be reached by others: set a key (--api-key), or say --no-auth to let everybody in", host)
		}
	}
	return nil
}

// isLoopback reports whether only this machine reaches a host; so it is with a Unix socket.
func isLoopback(host string) bool {
	if isSocket(host) || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

func isSocket(host string) bool { return strings.HasSuffix(host, ".sock") }
