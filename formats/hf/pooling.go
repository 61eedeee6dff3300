package hf

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Kinds of pooling, by their number in GGUF.
const (
	poolMean = 1
	poolCLS  = 2
	poolLast = 3
	poolRank = 4
)

// readPooling is how a model of embeddings makes one vector of many, as Sentence Transformers' modules.json says; 0: not said.
func (f *Folder) readPooling() (int, error) {
	var modules []struct{ Path, Type string }
	found, err := f.readJSON("modules.json", &modules)
	if err != nil || !found {
		return 0, err
	}
	for _, m := range modules {
		if !strings.HasSuffix(m.Type, "Pooling") || !filepath.IsLocal(m.Path) {
			continue
		}
		var modes map[string]any
		name := filepath.Join(m.Path, "config.json")
		if found, err := f.readJSON(name, &modes); err != nil || !found {
			return 0, err
		}
		for key, kind := range map[string]int{"pooling_mode_mean_tokens": poolMean, "pooling_mode_cls_token": poolCLS, "pooling_mode_lasttoken": poolLast} {
			if on, _ := modes[key].(bool); on {
				return kind, nil
			}
		}
		return 0, fmt.Errorf("%s: %w pooling; known: mean, cls, last", filepath.Join(f.Path, name), ErrUnsupported)
	}
	return 0, nil
}

// pooling writes it; classifiers, which rerankers are, have their own.
func (p *params) pooling() {
	kind := p.pool
	if strings.HasSuffix(p.Class(), "ForSequenceClassification") {
		kind = poolRank
	}
	if kind != 0 {
		p.u32("pooling_type", kind)
	}
}
