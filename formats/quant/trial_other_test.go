//go:build !amd64 || purego

package quant

import "testing"

func eachTier(t *testing.T, test func(t *testing.T)) { t.Run("generic", test) }
