package gguf

import (
	"bufio"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"runtime"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/parallel"
	"github.com/llamakit/llamakit/tools/internal/progress"
)

// hasher computes digests of the weights: of each tensor's data, and of all of it in the order of the file. Metadata does
// not count, so a model with another template has the same digest. Digests and their form are llama-gguf-hash's.
type hasher struct {
	streams
	xxh64, sha1, sha256, all, uuid, noLayer, json bool
	manifest                                      string
}

// digest is one line of output.
type digest struct {
	Algorithm string `json:"algorithm"`
	Digest    string `json:"digest"`
	Tensor    string `json:"tensor,omitempty"` // empty: of all tensors
}

// algorithm is a way to digest.
type algorithm struct {
	name string
	make func() hash.Hash
	text func(sum []byte) string
}

// uuidSpace is the name space of version 5 UUIDs of models, as llama-gguf-hash has it.
var uuidSpace, _ = hex.DecodeString("ef001206dadc5f6da15f3359e577d4e5")

func hashCommand() *cli.Command {
	h := &hasher{}
	return &cli.Command{
		Name: "hash", Usage: "digests of the weights, of each tensor and of all", ArgsUsage: "FILE",
		Flags: flags.Group("Digests",
			flags.New("--xxh64", "XXH64 (default)", flags.Switch(&h.xxh64)),
			flags.New("--sha1", "SHA-1", flags.Switch(&h.sha1)),
			flags.New("--sha256", "SHA-256", flags.Switch(&h.sha256)),
			flags.New("--all", "all three", flags.Switch(&h.all)),
			flags.New("--uuid", "a UUID (version 5) for the model", flags.Switch(&h.uuid)),
			flags.New("--no-layer", "of all tensors together only", flags.Switch(&h.noLayer)),
			flags.New("-c, --check MANIFEST", "compare with the digests in a file that hash printed", flags.Text(&h.manifest)),
			flags.New("--json", "as JSON", flags.Switch(&h.json)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 1)
			if err != nil {
				return err
			}
			h.streams = streamsOf(c)
			return h.run(ctx, args[0])
		},
	}
}

// algorithms are those that were asked for, in llama-gguf-hash's order.
func (h *hasher) algorithms() (all []algorithm) {
	add := func(wanted bool, name string, make func() hash.Hash, text func([]byte) string) {
		if wanted {
			all = append(all, algorithm{name, make, text})
		}
	}
	none := !h.xxh64 && !h.sha1 && !h.sha256 && !h.all && !h.uuid
	add(h.xxh64 || h.all || none, "xxh64", func() hash.Hash { return xxhash.New() }, hex.EncodeToString)
	add(h.sha1 || h.all, "sha1", sha1.New, hex.EncodeToString)
	add(h.sha256 || h.all, "sha256", sha256.New, hex.EncodeToString)
	return all
}

func newUUID() hash.Hash {
	u := sha1.New()
	u.Write(uuidSpace)
	return u
}

func uuidText(sum []byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x50, sum[8]&0x3f|0x80
	s := hex.EncodeToString(sum[:16])
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}

func (h *hasher) run(ctx context.Context, path string) error {
	wanted, err := h.readManifest()
	if err != nil {
		return err
	}
	f, err := openLocal(path, "hash reads all of the weights")
	if err != nil {
		return err
	}
	defer f.Close()
	digests, err := h.digests(ctx, f)
	switch {
	case err != nil:
		return err
	case h.manifest != "":
		return h.compare(digests, wanted)
	case h.json:
		return asjson.Write(h.out, digests)
	}
	w := bufio.NewWriter(h.out)
	for _, d := range digests {
		name := path
		if d.Tensor != "" {
			name += ":" + d.Tensor
		}
		fmt.Fprintf(w, "%-8s  %s  %s\n", d.Algorithm, d.Digest, gguf.Printable(name))
	}
	return w.Flush()
}

// digests computes all digests; those of all tensors together are computed beside those of each.
func (h *hasher) digests(ctx context.Context, f *gguf.File) ([]digest, error) {
	algorithms := h.algorithms()
	layers := make([][]string, len(f.Tensors)) // by tensor and algorithm
	whole := algorithms
	if h.uuid {
		whole = append(whole[:len(whole):len(whole)], algorithm{"uuid", newUUID, uuidText})
	}
	jobs := len(whole)
	if h.noLayer {
		algorithms = nil
	} else {
		jobs += len(f.Tensors)
	}
	sums := make([]string, len(whole))
	bar := progress.Bytes(h.err, weightBytes(f)*int64(len(whole)+len(algorithms)), "hashing")
	defer func() { _ = bar.Clear() }()
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), jobs, func(ctx context.Context, i int) (err error) {
		if i < len(whole) {
			sums[i], err = whole[i].sum(ctx, f, f.Tensors, bar)
			return err
		}
		i -= len(whole)
		layers[i] = make([]string, len(algorithms))
		for k, a := range algorithms {
			if layers[i][k], err = a.sum(ctx, f, f.Tensors[i:i+1], bar); err != nil {
				return err
			}
		}
		return nil
	})
	return collect(f, algorithms, layers, whole, sums), err
}

func collect(f *gguf.File, algorithms []algorithm, layers [][]string, whole []algorithm, sums []string) []digest {
	digests := []digest{}
	for i := range f.Tensors {
		for k, text := range layers[i] {
			digests = append(digests, digest{algorithms[k].name, text, f.Tensors[i].Name})
		}
	}
	for k, text := range sums {
		digests = append(digests, digest{Algorithm: whole[k].name, Digest: text})
	}
	return digests
}

func weightBytes(f *gguf.File) (n int64) {
	for i := range f.Tensors {
		n += f.Tensors[i].Size
	}
	return n
}

// sum digests the data of tensors, one after the other.
func (a algorithm) sum(ctx context.Context, f *gguf.File, tensors []gguf.Tensor, bar interface{ Add(int) error }) (string, error) {
	d := a.make()
	for i := range tensors {
		for data := f.Bytes(&tensors[i]); len(data) > 0; {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			n := min(len(data), pieceBytes)
			d.Write(data[:n])
			_ = bar.Add(n)
			data = data[n:]
		}
	}
	return a.text(d.Sum(nil)), nil
}
