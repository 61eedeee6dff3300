package fit

import (
	"os"
	"testing"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
)

// TestMain takes the kernels of every machine, since others may keep a cache in a few bytes more.
func TestMain(m *testing.M) {
	kernel.Use(kernel.Generic)
	os.Exit(m.Run())
}
