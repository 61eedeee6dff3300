//go:build !amd64 || purego

package kernel

var quantizers [tierCount]intQuantizers

var q40Bodies, q50Bodies, q80Bodies, iq4nlBodies, mxfp4Bodies, iq4xsBodies, q4kBodies, q5kBodies, q6kBodies [tierCount]intBody
