package probe

import (
	"context"
	"fmt"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
)

// Forecast says what a file would be in another type. The command of llama-quantize, whose plan it is, has one.
type Forecast func(f *gguf.File, to mixture.FileType) (*Retyped, error)

// Retyped is what a file would be in another type.
type Retyped struct {
	Type    string  `json:"type"`
	Before  int64   `json:"bytes_from,omitempty"` // of data
	After   int64   `json:"bytes_to,omitempty"`
	BPW     float64 `json:"bpw,omitempty"`
	Lacking int     `json:"fallbacks,omitempty"`     // tensors whose shape does not allow the type that was wanted
	Imatrix bool    `json:"needs_imatrix,omitempty"` // the type needs an importance matrix
	Again   bool    `json:"requantizes,omitempty"`   // tensors that are quantized already would be quantized again
	Error   string  `json:"error,omitempty"`         // why there can be no such file; the rest is zero then

	Tensors []RetypedTensor `json:"-"`
}

// RetypedTensor is one of its tensors.
type RetypedTensor struct {
	Name, Role    string
	From, To      string
	Before, After int64
	Note          string
}

// InAllTypes forecasts every type that llama-quantize makes, but for second names of types.
func InAllTypes(ctx context.Context, f *gguf.File, forecast Forecast) (all []*Retyped, err error) {
	for _, t := range mixture.FileTypes {
		if named, _ := mixture.NamedFileType(t.Name); named != t || t.Name == mixture.Copy {
			continue
		}
		switch r, err := forecast(f, t); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			all = append(all, &Retyped{Type: t.Name, Error: err.Error()})
		default:
			all = append(all, r)
		}
	}
	return all, nil
}

// Notes say what stands against the type, but for Again, which is the same for most.
func (r *Retyped) Notes() (notes []string) {
	if r.Error != "" {
		return []string{gguf.Printable(r.Error)}
	}
	if r.Imatrix {
		notes = append(notes, "needs --imatrix")
	}
	if r.Lacking > 0 {
		notes = append(notes, fmt.Sprintf("%d fallbacks", r.Lacking))
	}
	return notes
}
