package quantize

import (
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/kvsize"
)

// kvBytes estimates the memory of keys and values in f16 for a context, from the header alone.
func kvBytes(md *gguf.Metadata, context int) int64 { return kvsize.PerToken(md) * int64(context) }
