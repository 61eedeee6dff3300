package kernel

import "github.com/llamakit/llamakit/formats/quant"

// intMatMul returns the integer product for weights of type t, if there is one.
func intMatMul(t quant.Type) (MatMul, bool) { return MatMul{}, false }
