//go:build !amd64 || purego

package kernel

// No tier has integer kernels here.

var quantizers32, quantizers16, quantizersBlocks, quantizersHalves [tierCount]quantizeFunc

var (
	q40Bodies, q41Bodies, q50Bodies, q51Bodies, q80Bodies [tierCount]intBody
	q2kBodies, q3kBodies, q4kBodies, q5kBodies, q6kBodies [tierCount]intBody
	iq4nlBodies, iq4xsBodies, mxfp4Bodies                 [tierCount]intBody
	iq1sBodies, iq1mBodies, tq10Bodies, tq20Bodies        [tierCount]intBody
	q10Bodies, q20Bodies, nvfp4Bodies                     [tierCount]intBody
	iq2xxsBodies, iq2xsBodies, iq2sBodies                 [tierCount]intBody
	iq3xxsBodies, iq3sBodies                              [tierCount]intBody
)
