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

// countDrafts counts the layers of the checkpoint that predict further tokens and are kept; more than config.json tells are not.
func (t *tensorPlan) countDrafts(all []*tensor) int {
	if !t.family.has("blk.{}.nextn.enorm") {
		return 0
	}
	most := t.folder.Config.IntOr(maxLayers, draftKeys...)
	last := t.layers - 1
	for _, x := range all {
		if key, numbers, _ := canonicalName(x.Name); isLayer(key) && numbers[0] < t.layers+most {
			last = max(last, numbers[0])
		}
	}
	return last + 1 - t.layers
}

// blocks is the number of layers that the file will have.
func (p *params) blocks() int { return max(0, min(p.Int(layerKeys...), maxLayers)) + p.drafts }

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
