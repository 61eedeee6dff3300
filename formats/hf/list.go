package hf

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

// checked lists the architectures of which a model that llama.cpp wrote goes to a checkpoint and back with every tensor
// unchanged. TestRoundTripArchs wants it to be true.
//
//go:embed checked.txt
var checked string

// Architecture is a value of general.architecture, and what it can be made of.
type Architecture struct {
	Name      string
	Classes   []string // model classes of the transformers library, sorted
	RoundTrip bool     // a model of llama.cpp's own test goes to a checkpoint and back unchanged
	Why       string   // it has no classes
}

// notMade are architectures that the engine runs and no folder becomes, and why.
var notMade = map[string]string{
	"maion-coder": "no checkpoint of it is published, and llama.cpp's converter has no class for it",
	"pockettts":   "speech: the checkpoint has no config.json, and a codec beside the text model that GGUF keeps in a file of its own",
	"qwen3tts":    "speech: the text model is of use with its codec only, which GGUF keeps in a file of its own",
}

// Architectures lists all that can be made, and those that the engine runs only, by name.
func Architectures() []Architecture {
	byName, checked := map[string]Architecture{}, strings.Fields(checked)
	for name, why := range notMade {
		byName[name] = Architecture{Name: name, Why: why}
	}
	for _, f := range families {
		classes := append(byName[f.Arch].Classes, f.Classes...)
		byName[f.Arch] = Architecture{Name: f.Arch, Classes: classes, RoundTrip: slices.Contains(checked, f.Arch)}
	}
	list := slices.SortedFunc(maps.Values(byName), func(a, b Architecture) int { return strings.Compare(a.Name, b.Name) })
	for _, a := range list {
		slices.Sort(a.Classes)
	}
	return list
}
