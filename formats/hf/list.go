package hf

import (
	_ "embed"
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
	byName := map[string]*Architecture{}
	var out []*Architecture
	round := strings.Fields(checked)
	for _, f := range families {
		a := byName[f.Arch]
		if a == nil {
			a = &Architecture{Name: f.Arch, RoundTrip: slices.Contains(round, f.Arch)}
			byName[f.Arch] = a
			out = append(out, a)
		}
		a.Classes = append(a.Classes, f.Classes...)
	}
	list := make([]Architecture, len(out))
	for i, a := range out {
		slices.Sort(a.Classes)
		list[i] = *a
	}
	for name, why := range notMade {
		list = append(list, Architecture{Name: name, Why: why})
	}
	slices.SortFunc(list, func(a, b Architecture) int { return strings.Compare(a.Name, b.Name) })
	return list
}
