//go:build !amd64 || purego

package kernel

var (
	quantizers                                 [tierCount]intQuantizers
	q40Bodies, q80Bodies, q4kBodies, q6kBodies [tierCount]intBody
)
