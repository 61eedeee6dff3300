//go:build !amd64 || purego

package limit

func loopsFor() loops { return generic }
