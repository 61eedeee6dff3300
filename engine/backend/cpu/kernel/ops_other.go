//go:build !amd64 || purego

package kernel

func availableTiers() [tierCount]*ops { return [tierCount]*ops{Generic: &genericOps} }
