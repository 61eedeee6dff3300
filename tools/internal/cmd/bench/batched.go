package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// streams are the lists of --batched.
type streams struct {
	Prompts, Gens, Parallel []int
	OnlyShared              bool
}

func (s *streams) given() bool {
	return len(s.Prompts)+len(s.Gens)+len(s.Parallel) > 0 || s.OnlyShared
}

// streamRows lists the combinations, as llama-batched-bench goes through them; each with prompts of their own and with one for all.
func (o *options) streamRows() (rows []bench.Streams) {
	s := &o.streams
	or(&s.Prompts, 128)
	or(&s.Gens, 32)
	or(&s.Parallel, 1, 2, 4, 8, 16)
	o.grid.Prompts, o.grid.Gens, o.grid.Pairs = nil, nil, nil
	for _, pp := range s.Prompts {
		for _, tg := range s.Gens {
			o.grid.Pairs = append(o.grid.Pairs, [2]int{pp, tg})
		}
	}
	kinds := []bool{false, true}
	if s.OnlyShared {
		kinds = []bool{true}
	}
	for _, p := range o.grid.Rows() {
		for _, shared := range kinds {
			for _, n := range s.Parallel {
				if n > 1 || !shared || s.OnlyShared { // one sequence shares with nobody
					rows = append(rows, bench.Streams{Params: p, Parallel: n, Shared: shared})
				}
			}
		}
	}
	return rows
}

// runBatched measures many sequences at once.
func (o *options) runBatched(ctx context.Context) error {
	switch {
	case len(o.grid.Prompts)+len(o.grid.Gens)+len(o.grid.Pairs)+len(o.grid.Depths) > 0:
		return run.Usagef("--batched has its own lengths: -npp, -ntg and -npl instead of -p, -n, -pg and -d")
	case o.limits || o.energy:
		return run.Usagef("--limits and --energy do not go with --batched")
	case o.format != "md" && o.format != "json" && o.format != "jsonl" || o.formatErr != "":
		return run.Usagef("--batched prints md, json or jsonl, on standard output")
	}
	o.defaults()
	d := newDisplay(o.stderr, o.progress)
	settings := bench.Options{Repetitions: o.repetitions, NoWarmup: o.noWarmup, Delay: time.Duration(o.delay) * time.Second, Watch: d.watch}
	if o.peer.Command != "" {
		settings.Peer = &o.peer
	}
	out := o.streamsWriter()
	if err := out.begin(); err != nil {
		return err
	}
	err := bench.RunBatched(ctx, o.streamRows(), settings, func(r *bench.StreamsResult) error {
		d.clear()
		return out.write(r)
	})
	d.clear()
	return told(o.stderr, errors.Join(err, out.end()))
}

// streamsWriter prints results of many sequences.
type streamsWriter struct {
	w      io.Writer
	format string
	many   bool // several models
	peer   bool
	rows   int
}

func (o *options) streamsWriter() *streamsWriter {
	return &streamsWriter{w: o.stdout, format: o.format, many: len(o.grid.Models) > 1, peer: o.peer.Command != ""}
}

func (s *streamsWriter) begin() (err error) {
	switch s.format {
	case "json":
		_, err = io.WriteString(s.w, "[")
	case "md":
		_, err = fmt.Fprintf(s.w, "|%s\n|%s\n", strings.Join(s.heads(), "|")+"|", strings.Repeat("-------:|", len(s.heads())))
	}
	return err
}

func (s *streamsWriter) heads() []string {
	heads := []string{"    PP ", "     TG ", "    B ", " shared ", "   N_KV ", "   T_PP s ", " S_PP t/s ", "   T_TG s ", " S_TG t/s ", "      T s ", "    S t/s "}
	if s.many {
		heads = append([]string{" model "}, heads...)
	}
	if s.peer {
		heads = append(heads, " vs S_PP ", " ratio PP ", " vs S_TG ", " ratio TG ")
	}
	return heads
}

func (s *streamsWriter) write(r *bench.StreamsResult) error {
	switch s.format {
	case "md":
		return s.line(r)
	case "jsonl":
		return encode(s.w, r)
	}
	before := ",\n"
	if s.rows == 0 {
		before = "\n"
	}
	s.rows++
	if _, err := io.WriteString(s.w, before); err != nil {
		return err
	}
	return encode(s.w, r)
}

func encode(w io.Writer, r *bench.StreamsResult) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func (s *streamsWriter) line(r *bench.StreamsResult) error {
	shared := "no"
	if r.Shared == 1 {
		shared = "yes"
	}
	text := fmt.Sprintf("|%6d | %6d | %4d | %6s | %6d | %8.3f | %8.2f | %8.3f | %8.2f | %8.3f | %8.2f |",
		r.Prompt, r.Gen, r.Parallel, shared, r.Tokens, r.PPTime, r.PPSpeed, r.TGTime, r.TGSpeed, r.Time, r.Speed)
	if s.many {
		text = "| " + strings.ReplaceAll(gguf.Printable(r.Model), "|", `\|`) + " " + text
	}
	if s.peer {
		text += fmt.Sprintf(" %8.2f | %s | %8.2f | %s |", r.PeerPP, r.RatioPP, r.PeerTG, r.RatioTG)
	}
	_, err := fmt.Fprintln(s.w, text)
	return err
}

func (s *streamsWriter) end() error {
	if s.format != "json" {
		return nil
	}
	_, err := io.WriteString(s.w, "]\n")
	return err
}
