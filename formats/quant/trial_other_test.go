//go:build !amd64 || purego

package quant

func trialBodies() []trialBody { return []trialBody{{"dispatch", (*trials).run}} }
