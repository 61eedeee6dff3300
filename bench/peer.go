package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Peer is another program with llama-bench's flags and JSON.
type Peer struct {
	Command string // with arguments, separated by blanks; quotes keep blanks together
	Model   string // its name for the model file; empty: ours
}

// PeerSample is one repetition of the peer.
type PeerSample struct {
	Time    time.Duration
	Machine Machine
}

// PeerColumns are the further columns of a result that was measured beside a peer.
var PeerColumns = []string{"vs_build", "vs_avg_ts", "ratio", "ratio_low", "ratio_high", "ratio_p"}

// Run has the peer measure one repetition of a row. It loads the model each time.
func (p *Peer) Run(ctx context.Context, row Params, threads int, noWarmup bool) (PeerSample, error) {
	args := []string{"-m", cmp.Or(p.Model, row.Model), "-d", strconv.Itoa(row.Depth), "-b", strconv.Itoa(row.Batch), "-ub", strconv.Itoa(row.UBatch),
		"-ctk", row.CacheK, "-ctv", row.CacheV, "-t", strconv.Itoa(threads), "-fa", attention(row.FlashAttn), "-r", "1", "-o", "json"}
	switch {
	case row.Prompt > 0 && row.Gen > 0:
		args = append(args, "-p", "0", "-n", "0", "-pg", fmt.Sprintf("%d,%d", row.Prompt, row.Gen))
	default:
		args = append(args, "-p", strconv.Itoa(row.Prompt), "-n", strconv.Itoa(row.Gen))
	}
	if noWarmup {
		args = append(args, "--no-warmup")
	}
	out, err := p.output(ctx, args)
	if err != nil {
		return PeerSample{}, err
	}
	results, err := decode("its output", out)
	if err != nil {
		return PeerSample{}, err
	}
	if len(results) != 1 || len(results[0].Nanoseconds) != 1 || !(results[0].Nanoseconds[0] >= 1) || results[0].Prompt != row.Prompt || results[0].Gen != row.Gen || results[0].Depth != row.Depth {
		return PeerSample{}, fmt.Errorf("its output is not one result of %s", row.Test())
	}
	return PeerSample{time.Duration(results[0].Nanoseconds[0]), Machine{Commit: results[0].Commit, Number: results[0].Number}}, nil
}

// output runs the peer. Of what it says on standard error the last line tells why it failed.
func (p *Peer) output(ctx context.Context, args []string) ([]byte, error) {
	words, err := splitWords(p.Command)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], args...)...)
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said[strings.LastIndexByte(said, '\n')+1:])
		}
		return nil, err
	}
	return stdout.Bytes(), nil
}

// splitWords cuts a command at blanks, but not within quotes.
func splitWords(s string) (words []string, err error) {
	var word strings.Builder
	quote, inside := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inside = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inside {
				words = append(words, word.String())
				word.Reset()
				inside = false
			}
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if inside {
		words = append(words, word.String())
	}
	if quote != 0 || len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("%q is not a command", s)
	}
	return words, nil
}

// peerSamples are those of a row.
type peerSamples struct {
	times []time.Duration
	build string
}

func (p *peerSamples) add(s PeerSample) {
	p.times = append(p.times, s.Time)
	p.build = fmt.Sprintf("%s (%d)", s.Machine.Commit, s.Machine.Number)
}

// columns compare the repetitions pair by pair: how many times as fast we are.
func (p *peerSamples) columns(r *Result) []Value {
	theirs := speeds(r.tokens(), p.times[:min(len(p.times), len(r.Samples))])
	ratio := Paired(r.Speeds(), theirs)
	return []Value{{"vs_build", p.build}, {"vs_avg_ts", mean(theirs)}, {"ratio", ratio.Center}, {"ratio_low", float64(ratio.Low)},
		{"ratio_high", float64(ratio.High)}, {"ratio_p", ratio.P}, {"vs_samples_ts", slices.Clone(theirs)}}
}

// ratioText is the ratio with its interval, where there is one.
func (r *Result) ratioText() string {
	value := func(name string) (x float64) {
		for _, e := range r.Extra {
			if e.Name == name {
				x, _ = e.Value.(float64)
			}
		}
		return x
	}
	return Ratio{Center: value("ratio"), Low: Bound(value("ratio_low")), High: Bound(value("ratio_high"))}.String()
}
