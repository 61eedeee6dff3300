//go:build !unix

package hf

// release is a hint that only Unix systems have in this form.
func release([]byte) {}
