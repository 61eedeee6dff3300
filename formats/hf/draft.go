package hf

import (
	"fmt"
	"strings"
)

// Some checkpoints have layers behind the last that predict further tokens, which engines use to guess ahead (DeepSeek-V3, section
// 2.2). They are kept where llama.cpp's converter keeps them: as more layers, with the tensors that join them to the rest under
// nextn. Families that keep them have the rules draft.

// draft are the names of what such a layer has beside those of others.
var draft = names(layer, "eh_proj", "nextn.eh_proj", "enorm", "nextn.enorm", "hnorm", "nextn.hnorm", "embed_tokens", "nextn.embed_tokens",
	"shared_head.head", "nextn.shared_head_head", "shared_head.norm", "nextn.shared_head_norm")

// draftKeys are the spellings of the number of such layers.
var draftKeys = []string{"num_nextn_predict_layers", "mtp_num_hidden_layers"}

// findDrafts sets where the layers of the model end, and counts those behind that predict further tokens and are kept. config.json
// may not tell of them; more than it tells are left out.
func (t *tensorPlan) findDrafts(all []*tensor, keep bool) {
	layers := t.folder.Config.IntOr(placeEnd, layerKeys...)
	told, last, seen := t.folder.Config.IntOr(0, draftKeys...), layers-1, false
	most := told
	if told == 0 {
		most = maxLayers
	}
	for _, x := range all {
		key, numbers, _ := canonicalName(x.Name)
		if !isLayer(key) || numbers[0] < layers {
			continue
		}
		seen = seen || key == layer+"enorm"
		if numbers[0] < layers+most {
			last = max(last, numbers[0])
		}
	}
	if told == 0 && !seen {
		return
	}
	t.layers = layers
	if keep && t.family.has("blk.{}.nextn.enorm") {
		t.c.drafts = last + 1 - layers
		t.layers += t.c.drafts
	}
}

// blocks is the number of layers that the file will have.
func (p *params) blocks() int { return p.layers() + p.drafts }

// qwenDrafts puts the tensors of Qwen's mtp part behind the last layer.
func qwenDrafts(p *packs) ([]*tensor, error) {
	ends := strings.NewReplacer("mtp.fc.", "eh_proj.", "mtp.pre_fc_norm_embedding.", "enorm.", "mtp.pre_fc_norm_hidden.", "hnorm.", "mtp.norm.", "shared_head.norm.")
	layers := p.config.Int(layerKeys...)
	var out []*tensor
	for _, name := range p.ending("") {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "model."), "mtp.")
		if !ok {
			continue
		}
		var n int
		to := fmt.Sprintf("model.layers.%d.%s", layers, ends.Replace("mtp."+rest))
		if _, err := fmt.Sscanf(rest, "layers.%d.", &n); err == nil {
			to = fmt.Sprintf("model.layers.%d.%s", layers+n, strings.SplitN(rest, ".", 3)[2])
		}
		out = append(out, renamed(to, p.take(name)))
	}
	return out, nil
}
