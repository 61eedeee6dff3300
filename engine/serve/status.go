package serve

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine"
)

// health answers while the model loads and when it is there. It asks nothing of the engine, so that it answers at once.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.draining.Load():
		s.writeError(w, r, errStopping)
	case s.model.Load() == nil:
		s.writeError(w, r, fail(http.StatusServiceUnavailable, "Loading model"))
	default:
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	}
}

// modelJSON is a model in OpenAI's list, with llama.cpp's additions.
func (s *Server) modelJSON(m *engine.Model) map[string]any {
	i := m.Info()
	return map[string]any{
		"id": s.options.Model, "aliases": append([]string{s.options.Model}, s.options.Aliases...), "tags": list(s.options.Tags),
		"object": "model", "created": s.begun.Unix(), "owned_by": "llamacpp",
		"architecture": map[string]any{"input_modalities": []string{"text"}, "output_modalities": []string{"text"}},
		"meta": map[string]any{"vocab_type": vocabType(m), "n_vocab": i.Vocabulary, "n_ctx": i.Context, "n_ctx_train": i.TrainContext, "n_embd": i.Width,
			"n_params": i.Parameters, "size": i.Bytes, "ftype": ftype(m)},
	}
}

// vocabTypes are llama.cpp's numbers of tokenizers.
var vocabTypes = map[string]int{"llama": 1, "gpt2": 2, "bert": 3, "t5": 4, "rwkv": 5}

func vocabType(m *engine.Model) int {
	if m.Vocab() == nil {
		return 0
	}
	return vocabTypes[m.Vocab().Model]
}

// ftype is the type of most weights, as llama.cpp writes it.
func ftype(m *engine.Model) string { return strings.ToUpper(m.Info().Type.String()) }

func (s *Server) models(w http.ResponseWriter, _ *http.Request, m *engine.Model) error {
	native := map[string]any{"name": s.options.Model, "model": s.options.Model, "type": "model", "capabilities": []string{"completion"},
		"modified_at": "", "size": "", "digest": "", "description": "", "tags": list(s.options.Tags), "parameters": "",
		"details": map[string]any{"parent_model": "", "format": "gguf", "family": m.Info().Architecture,
			"families": []string{m.Info().Architecture}, "parameter_size": "", "quantization_level": ftype(m)}}
	writeJSON(w, http.StatusOK, map[string]any{"models": []any{native}, "object": "list", "data": []any{s.modelJSON(m)}})
	return nil
}

func (s *Server) oneModel(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	if name := r.PathValue("model"); name != s.options.Model && !slices.Contains(s.options.Aliases, name) {
		return fail(http.StatusNotFound, "there is no model of this name: this server has %s", s.options.Model)
	}
	writeJSON(w, http.StatusOK, s.modelJSON(m))
	return nil
}

// props are the properties of the server and its model.
func (s *Server) props(w http.ResponseWriter, _ *http.Request, m *engine.Model) error {
	p := &params{sampling: s.defaults(m), max: -1, keep: s.options.Keep, reasoning: reasoningFormat(s.options.ReasoningFormat)}
	caps := m.Template().Capabilities()
	out := map[string]any{
		"default_generation_settings": map[string]any{"params": p.settings(), "n_ctx": m.Info().Context},
		"total_slots":                 m.Sequences(),
		"model_alias":                 s.options.Model, "model_path": s.options.Path, "model_ftype": ftype(m),
		"modalities":     map[string]bool{"vision": false, "audio": false, "video": false},
		"endpoint_slots": !s.options.NoSlots, "endpoint_props": s.options.Props, "endpoint_metrics": s.options.Metrics,
		"chat_template": m.Template().Source(), "chat_template_builtin": m.Template().Builtin,
		"chat_template_caps": map[string]bool{"supports_system_role": caps.System, "supports_tools": caps.Tools,
			"supports_tool_calls": caps.Calls, "supports_parallel_tool_calls": caps.Parallel, "supports_object_arguments": !caps.TextArguments,
			"supports_string_content": !caps.Parts, "supports_typed_content": caps.Lists, "supports_thinking": caps.Thinking,
			"supports_reasoning_effort": strings.Contains(m.Template().Source(), "reasoning_effort")},
		"build_info": "llamakit " + s.options.Version, "is_sleeping": false, "ui": s.page != nil, "ui_settings": map[string]any{}, "cors_proxy_enabled": false,
	}
	if err := m.Template().Err(); err != nil {
		out["chat_template_error"] = err.Error()
	}
	if v := m.Vocab(); v != nil {
		out["bos_token"], out["eos_token"] = v.Text(v.BOS), v.Text(v.EOS)
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// changeProps answers POST /props: there is no property that can be changed while the server runs.
func (s *Server) changeProps(w http.ResponseWriter, r *http.Request, _ *engine.Model) error {
	if !s.options.Props {
		return unsupported("properties cannot be changed; start the server with --props")
	}
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	for name := range o.fields {
		return badRequest("field '%s' is no property that can be changed", printableName(name))
	}
	writeJSON(w, http.StatusOK, map[string]bool{"success": true})
	return nil
}

var errNoSlots = unsupported("slots are not shown: the server was started with --no-slots")

// slots lists who has a slot, or had it last. Prompts and answers are not shown.
func (s *Server) slots(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	if s.options.NoSlots {
		return errNoSlots
	}
	all, free := s.ledger.slotsJSON(m.Info().Context)
	if !free && r.URL.Query().Get("fail_on_no_slot") != "" {
		return fail(http.StatusServiceUnavailable, "no slot available")
	}
	writeJSON(w, http.StatusOK, all)
	return nil
}

// slotsJSON builds what takes long, the parameters, without the lock: streams take it for every token.
func (l *ledger) slotsJSON(context int) (all []map[string]any, free bool) {
	params := make([]*params, len(l.slots))
	l.mu.Lock()
	for i, j := range l.slots {
		slot := map[string]any{"id": i, "n_ctx": context, "speculative": false, "is_processing": j != nil}
		all, free = append(all, slot), free || j == nil
		if j = cmp.Or(j, l.last[i]); j != nil {
			params[i] = j.params
			j.inSlot(slot)
		}
	}
	l.mu.Unlock()
	for i, p := range params {
		if p != nil {
			all[i]["params"] = p.settings()
		}
	}
	return all, free
}

// inSlot says how far a job is.
func (j *job) inSlot(slot map[string]any) {
	left := -1
	if j.params.max > 0 {
		left = j.params.max - len(j.tokens)
	}
	slot["id_task"] = j.id
	slot["n_prompt_tokens"], slot["n_prompt_tokens_processed"], slot["n_prompt_tokens_cache"] = len(j.prepared.Tokens), j.done-j.cached, j.cached
	slot["next_token"] = []map[string]any{{"has_next_token": slot["is_processing"], "has_new_line": j.newline, "n_remain": left,
		"n_decoded": len(j.tokens)}}
}
