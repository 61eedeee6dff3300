package engine_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
)

const slotPrompt = "The lighthouse keeper counted the ships that passed in the night and wrote their names into a book."

func slotRequest(m *engine.Model) engine.Request {
	return engine.Request{Prompt: slotPrompt, MaxTokens: 8, PastEOG: true, Pinned: true, Slot: 1}
}

// saved runs a request in slot 1 and saves the slot.
func saved(t *testing.T, m *engine.Model, r engine.Request) (answer, []byte) {
	t.Helper()
	a := must(t, m, r)
	var file bytes.Buffer
	n, size, err := m.SaveSlot(1, &file)
	if err != nil || size != int64(file.Len()) || n != a.result.PromptTokens+len(a.tokens)-1 {
		t.Fatalf("%d tokens, %d bytes of %d saved, %v", n, size, file.Len(), err)
	}
	return a, file.Bytes()
}

// TestRestoredSlot: after a restart the prompt is not computed again, and the answer is the same.
func TestRestoredSlot(t *testing.T) {
	for name, open := range map[string]func() *engine.Model{
		"demo": func() *engine.Model { return open(t, engine.Options{Context: 128, Sequences: 2}) },
		"q8_0": func() *engine.Model {
			return open(t, engine.Options{Context: 128, Sequences: 2, CacheK: "q8_0", CacheV: "q4_1"})
		},
		"recurrent": func() *engine.Model { return openTiny(t, "tiny-falcon-h1", engine.Options{Context: 128, Sequences: 2}) },
	} {
		t.Run(name, func(t *testing.T) {
			first := open()
			r := slotRequest(first)
			if name == "recurrent" {
				r = recurrentPrompt(1)
				r.Pinned, r.Slot = true, 1
			}
			want, file := saved(t, first, r)
			second := open()
			if n, err := second.RestoreSlot(context.Background(), 1, bytes.NewReader(file)); err != nil || n != want.result.PromptTokens+len(want.tokens)-1 {
				t.Fatalf("%d tokens restored, %v", n, err)
			}
			if slots := second.Stats().Slots; len(slots) != 2 {
				t.Fatalf("slots %+v", slots)
			}
			got := must(t, second, r)
			if !slices.Equal(got.tokens, want.tokens) {
				t.Errorf("answer %v, before the restart %v", got.tokens, want.tokens)
			}
			if least := (got.result.PromptTokens - 1) / engine.PageSize * engine.PageSize; got.result.CachedTokens < least {
				t.Errorf("%d tokens of %d were cached, want %d at least", got.result.CachedTokens, got.result.PromptTokens, least)
			}
		})
	}
}

// TestRestoreRefuses: a file that is not whole, or of something else, is refused with a reason, and what is cached stays.
func TestRestoreRefuses(t *testing.T) {
	m := open(t, engine.Options{Context: 128, Sequences: 2})
	_, file := saved(t, m, slotRequest(m))
	for name, c := range map[string]struct {
		m    *engine.Model
		file []byte
		err  error
		says string
	}{
		"cut":     {m, file[:len(file)-100], engine.ErrFileDamaged, "bytes"},
		"empty":   {m, nil, engine.ErrFileDamaged, "header"},
		"changed": {m, append(slices.Clone(file[:len(file)-9]), file[len(file)-8:]...), engine.ErrFileDamaged, "bytes"},
		"model":   {openTiny(t, "tiny-lfm2", engine.Options{Sequences: 2, Context: 128}), file, engine.ErrFileForeign, "model"},
		"keys":    {open(t, engine.Options{Context: 128, Sequences: 2, CacheK: "q8_0"}), file, engine.ErrFileForeign, "keys are f16, here they are q8_0"},
		"values":  {open(t, engine.Options{Context: 128, Sequences: 2, CacheV: "f32"}), file, engine.ErrFileForeign, "values"},
		"context": {open(t, engine.Options{Context: 8, Sequences: 2}), file, engine.ErrFileForeign, "the context holds 8"},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := c.m.RestoreSlot(context.Background(), 1, bytes.NewReader(c.file))
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%d tokens, %v; want %v with %q", n, err, c.err, c.says)
			}
		})
	}
	if got := must(t, m, slotRequest(m)); got.result.CachedTokens != got.result.PromptTokens-1 {
		t.Errorf("after the refusals %d of %d tokens are cached", got.result.CachedTokens, got.result.PromptTokens)
	}
}

func TestEmptyAndUnknownSlots(t *testing.T) {
	m := open(t, engine.Options{Context: 128, Sequences: 2})
	if _, _, err := m.SaveSlot(0, &bytes.Buffer{}); !errors.Is(err, engine.ErrEmptySlot) {
		t.Errorf("an empty slot: %v", err)
	}
	if _, _, err := m.SaveSlot(2, &bytes.Buffer{}); !errors.Is(err, engine.ErrNoSlot) {
		t.Errorf("slot 2 of 2: %v", err)
	}
	saved(t, m, slotRequest(m))
	if n, err := m.EraseSlot(1); err != nil || n == 0 {
		t.Errorf("%d tokens erased, %v", n, err)
	}
	if _, _, err := m.SaveSlot(1, &bytes.Buffer{}); !errors.Is(err, engine.ErrEmptySlot) {
		t.Errorf("an erased slot: %v", err)
	}
}
