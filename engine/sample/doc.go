// Package sample chooses the next token from logits.
//
// A Chain is a list of samplers over an array of candidates, each of which changes logits or cuts the array, and a seeded
// draw at the end. The samplers, their order and their parameters are llama.cpp's:
//
//	penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature
//
// The same parameters, seed and logits give the same tokens: ties are broken by token number, and nothing depends on the
// order of a map. A Chain belongs to one sequence and is not safe for concurrent use.
package sample
