package engine

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Digest identifies the model's files, metadata included: "xxh64:" and 16 digits. It reads all of the weights.
func (m *Model) Digest() (string, error) {
	h := xxhash.New()
	if _, err := m.file.WriteTo(h); err != nil {
		return "", err
	}
	return fmt.Sprintf("xxh64:%016x", h.Sum64()), nil
}
