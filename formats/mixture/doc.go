// Package mixture says which type each matrix of a model gets when the model is written as one of llama-quantize's file types:
// Q4_K_M is Q4_K for most matrices and Q6_K for some.
//
//	file, ok := mixture.ParseFileType("q4_k_m")
//	m, err := mixture.New(metadata, names, file, mixture.Options{})
//	for each tensor, in the order of the file:
//		if mixture.IsMatrix(m.Arch, name, dims) { t, err := m.Choose(name, shape) }
//		t, err = mixture.Fallback(t, columns)
//
// The choices are those of llama.cpp v0.7.0, tensor by tensor.
package mixture
