package fit

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// report is what is printed. Numbers of memory are bytes.
type report struct {
	Path         string         `json:"file"`
	Architecture string         `json:"architecture"`
	Parameters   int64          `json:"parameters"`
	Type         string         `json:"type"` // of most of the weights
	Context      int            `json:"context"`
	TrainContext int            `json:"train_context"`
	Sequences    int            `json:"sequences"`
	CacheK       string         `json:"cache_type_k"`
	CacheV       string         `json:"cache_type_v"`
	Devices      []device       `json:"devices"`
	Total        int64          `json:"total"`
	Free         int64          `json:"free"`
	Margin       int64          `json:"margin"` // of free that is left alone
	Unused       int64          `json:"unused"` // tensors of the file that are not read
	Fits         bool           `json:"fits"`
	Largest      int            `json:"largest_context"`
	Offload      *probe.Offload `json:"offload,omitempty"` // what -ngl asks for

	plan *engine.Plan
}

// device is the share of one device.
type device struct {
	Name    string `json:"name"`
	Weights int64  `json:"weights"`
	Cache   int64  `json:"cache"` // keys and values
	Compute int64  `json:"compute"`
	Total   int64  `json:"total"`
	Free    int64  `json:"free"`
}

func (r *report) fill(o engine.Options) (err error) {
	p := r.plan
	r.Architecture, r.Parameters, r.Type = p.Architecture, p.Parameters, p.Type.String()
	r.Context, r.TrainContext, r.Sequences = p.Context, p.TrainContext, p.Sequences
	r.CacheK, r.CacheV = cacheName(o.CacheK), cacheName(o.CacheV)
	r.Devices = []device{{p.Device, p.Weights, p.Memory.Cache, p.Memory.Compute, p.Total(), p.Free}}
	r.Total, r.Free, r.Unused = p.Total(), p.Free, p.Bytes-p.Weights
	r.Fits = r.Total <= r.budget()
	r.Largest, err = p.LargestContext(r.budget())
	return err
}

func cacheName(t engine.CacheType) string {
	if t == "" {
		return string(engine.CacheF16)
	}
	return string(t)
}

// budget is the memory that may be used.
func (r *report) budget() int64 { return max(0, r.Free-r.Margin) }

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return asjson.Write(w, r)
	}
	fmt.Fprintf(w, "%s: %s, %d layers, %s, %.2f M parameters\n", gguf.Printable(r.Path), gguf.Printable(r.Architecture), r.plan.Layers, r.Type, float64(r.Parameters)/1e6)
	fmt.Fprintf(w, "context of %d tokens for %d sequences, keys %s, values %s%s\n\n", r.Context, r.Sequences, r.CacheK, r.CacheV, r.trained())
	if err := r.table(w); err != nil {
		return err
	}
	answer := "does not fit"
	if r.Fits {
		answer = "fits"
	}
	if o := r.Offload; o != nil {
		fmt.Fprintf(w, "\n%d of %d layers on a GPU: %s there, %s of weights and %s of cache\n", o.Layers, o.Of, outfile.Size(o.Weights+o.Cache), outfile.Size(o.Weights), outfile.Size(o.Cache))
	}
	_, err := fmt.Fprintf(w, "\n%s; largest context: %d tokens, with %s left free\n", answer, r.Largest, outfile.Size(r.Margin))
	return err
}

func (r *report) trained() string {
	if r.TrainContext == 0 {
		return ""
	}
	return fmt.Sprintf("; trained for %d", r.TrainContext)
}

// table has a line a device and one for all.
func (r *report) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "device\tweights\tKV\tcompute\ttotal\tfree\t")
	all := device{Name: "all"}
	for _, d := range r.Devices {
		d.write(t)
		all.Weights, all.Cache, all.Compute = all.Weights+d.Weights, all.Cache+d.Cache, all.Compute+d.Compute
		all.Total, all.Free = all.Total+d.Total, all.Free+d.Free
	}
	all.write(t)
	return t.Flush()
}

func (d *device) write(w io.Writer) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", d.Name, outfile.Size(d.Weights), outfile.Size(d.Cache), outfile.Size(d.Compute), outfile.Size(d.Total), outfile.Size(d.Free))
}
