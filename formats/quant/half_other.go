//go:build !amd64 || purego

package quant

func decodeF16(dst []float32, src []byte) { decodeF16Generic(dst, src) }
