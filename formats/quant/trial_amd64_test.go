//go:build !purego

package quant

import "testing"

// eachTier runs a test with each set of bodies that this machine has.
func eachTier(t *testing.T, test func(t *testing.T)) {
	has2, has512 := useAVX2, useAVX512
	defer func() { useAVX2, useAVX512 = has2, has512 }()
	t.Run("best", test)
	useAVX512 = false
	t.Run("without AVX-512", test)
	useAVX2 = false
	t.Run("generic", test)
}
