package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/engine/kvfile"
)

// Errors of saved slots.
var (
	ErrEmptySlot   = errors.New("the slot holds no tokens")
	ErrSlotBusy    = errors.New("a request runs in the slot")
	ErrNoRoom      = errors.New("the cache has no room for the tokens beside those of running requests")
	ErrFileDamaged = kvfile.ErrDamaged
	ErrFileForeign = kvfile.ErrForeign
)

// SaveSlot writes the cache of the sequence that is, or was last, in a slot: its tokens and what was computed of them. It returns
// the numbers of tokens and of bytes. Requests run on meanwhile.
func (m *Model) SaveSlot(slot int, w io.Writer) (tokens int, size int64, err error) {
	m.files.Lock()
	defer m.files.Unlock()
	s, err := m.snapshot(slot)
	if err != nil {
		return 0, 0, err
	}
	defer m.sched.Do(func(*kv.Pool) { s.seq.Close() })
	settings, err := m.fileSettings()
	if err != nil {
		return 0, 0, err
	}
	s.header.Settings = settings
	size, err = kvfile.Write(w, &s.header, func(w io.Writer) error { return m.writeCache(w, s) })
	return len(s.header.Tokens), size, err
}

// snapshot is a sequence that holds on to what is saved, so that nothing of it changes.
type snapshot struct {
	seq     *kv.Seq
	header  kvfile.Header
	earlier []byte // the state at the first of two places
}

// snapshot opens a sequence on the cached tokens of a slot. Of a model with recurrent layers there are states at the end and
// at one checkpoint before, so that the prompt can be asked again, too.
func (m *Model) snapshot(slot int) (s *snapshot, err error) {
	if err := m.checkSlot(slot); err != nil {
		return nil, err
	}
	e := m.sched.Do(func(p *kv.Pool) {
		tokens := m.sched.SlotTokens(slot)
		s = &snapshot{seq: m.openAll(p, tokens)}
		n := s.seq.Len()
		s.header.Tokens = append([]Token(nil), tokens[:n]...)
		if n == 0 {
			s.seq.Close()
			err = fmt.Errorf("%w: %d", ErrEmptySlot, slot)
			return
		}
		if s.seq.State() == kv.NoSlot {
			return
		}
		s.seq.Close()
		before := m.openAll(p, tokens[:n-1])
		if at := before.Len(); at > 0 {
			s.earlier = make([]byte, m.program.StateBytes())
			m.program.ReadState(s.earlier, before.State())
			s.header.States = append(s.header.States, at)
		}
		before.Close()
		s.seq = m.openAll(p, tokens[:n])
		if s.seq.Len() < n { // the state had to make room for those of running sequences
			s.seq.Close()
			err = fmt.Errorf("%w that could be saved: %d", ErrEmptySlot, slot)
		}
		s.header.States = append(s.header.States, n)
	})
	return s, errors.Join(err, e)
}

// openAll opens a sequence on as many of the tokens as are cached, the last one included.
func (m *Model) openAll(p *kv.Pool, tokens []Token) *kv.Seq {
	const none Token = -1 // Open leaves the last token to be computed
	seq, copied, state := p.Open(append(tokens[:len(tokens):len(tokens)], none))
	if copied != nil {
		m.program.Copy(*copied)
	}
	if state != nil {
		m.program.CopyState(*state)
	}
	return seq
}

func (m *Model) writeCache(w io.Writer, s *snapshot) error {
	page, left := make([]byte, m.program.PageBytes()), len(s.header.Tokens)
	for _, p := range s.seq.Pages() {
		clear(page)
		m.program.ReadPage(page, p, min(left, kv.PageSize))
		if _, err := w.Write(page); err != nil {
			return err
		}
		left -= kv.PageSize
	}
	if s.seq.State() == kv.NoSlot {
		return nil
	}
	if _, err := w.Write(s.earlier); err != nil {
		return err
	}
	state := make([]byte, m.program.StateBytes())
	m.program.ReadState(state, s.seq.State())
	_, err := w.Write(state)
	return err
}

// RestoreSlot reads what SaveSlot wrote, into a slot where nothing runs, and returns the number of tokens. A file that is damaged,
// or of another model or other settings, changes nothing.
func (m *Model) RestoreSlot(ctx context.Context, slot int, r io.ReadSeeker) (tokens int, err error) {
	if err := m.checkSlot(slot); err != nil {
		return 0, err
	}
	m.files.Lock()
	defer m.files.Unlock()
	f, err := kvfile.Read(r)
	if err != nil {
		return 0, err
	}
	if err := m.checkFile(f); err != nil {
		return 0, err
	}
	if err := m.readCache(ctx, f); err != nil {
		return 0, err
	}
	idle := false
	if err := m.sched.Do(func(*kv.Pool) { idle = m.sched.SetSlotTokens(slot, f.Tokens) }); err != nil {
		return 0, err
	}
	if !idle {
		return 0, fmt.Errorf("%w: %d", ErrSlotBusy, slot)
	}
	return len(f.Tokens), nil
}

// EraseSlot makes a slot forget its tokens and returns their number. What was computed of them stays cached until the pages are
// needed, since any request may use it.
func (m *Model) EraseSlot(slot int) (tokens int, err error) {
	if err := m.checkSlot(slot); err != nil {
		return 0, err
	}
	e := m.sched.Do(func(*kv.Pool) {
		tokens = len(m.sched.SlotTokens(slot))
		if !m.sched.SetSlotTokens(slot, nil) {
			err = fmt.Errorf("%w: %d", ErrSlotBusy, slot)
		}
	})
	return tokens, errors.Join(err, e)
}

func (m *Model) checkSlot(slot int) error {
	if slot < 0 || slot >= m.options.Sequences {
		return fmt.Errorf("%w: %d, there are %d, from 0 on", ErrNoSlot, slot, m.options.Sequences)
	}
	return nil
}

func (m *Model) checkFile(f *kvfile.File) error {
	settings, err := m.fileSettings()
	if err != nil {
		return err
	}
	if err := f.Settings.Check(settings); err != nil {
		return err
	}
	if n := len(f.Tokens); n > m.options.Context {
		return fmt.Errorf("%w: it has %d tokens, the context holds %d", ErrFileForeign, n, m.options.Context)
	}
	if err := m.checkTokens(f.Tokens); err != nil {
		return fmt.Errorf("%w: %w", ErrFileDamaged, err)
	}
	if states := len(f.States); (states > 0) != (f.StateBytes > 0) || states > 0 && f.States[states-1] != len(f.Tokens) {
		return fmt.Errorf("%w: its %d states do not fit to %d tokens", ErrFileDamaged, states, len(f.Tokens))
	}
	return nil
}

// readCache makes the tokens of a file cached ones. Its pages are the sequence's own until all is read.
func (m *Model) readCache(ctx context.Context, f *kvfile.File) (err error) {
	var seq *kv.Seq
	e := m.sched.Do(func(p *kv.Pool) {
		seq, _, _ = p.Open(nil)
		if !seq.Grow(len(f.Tokens)) {
			seq.Close()
			err = fmt.Errorf("%w: %d", ErrNoRoom, len(f.Tokens))
		}
	})
	if err = errors.Join(err, e); err != nil {
		return err
	}
	defer m.sched.Do(func(*kv.Pool) { seq.Close() })
	page, left := make([]byte, m.program.PageBytes()), len(f.Tokens)
	for _, p := range seq.Pages() {
		if _, err := io.ReadFull(f.Data, page); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.program.WritePage(p, min(left, kv.PageSize), page)
		left -= kv.PageSize
	}
	if len(f.States) == 0 {
		return m.sched.Do(func(*kv.Pool) { seq.Commit(f.Tokens...) })
	}
	return m.readStates(f, seq)
}

// readStates commits the tokens up to each state, which becomes a checkpoint there.
func (m *Model) readStates(f *kvfile.File, seq *kv.Seq) error {
	state, done := make([]byte, m.program.StateBytes()), 0
	for _, n := range f.States {
		if _, err := io.ReadFull(f.Data, state); err != nil {
			return err
		}
		m.program.WriteState(seq.State(), state)
		err := m.sched.Do(func(*kv.Pool) {
			seq.Commit(f.Tokens[done:n]...)
			if c, ok := seq.Save(); ok && n < len(f.Tokens) {
				m.program.CopyState(c)
			}
		})
		if err != nil {
			return err
		}
		done = n
	}
	return nil
}

// fileSettings are those of this model. Its weights are known by their names, types and shapes, and by a few bytes of each.
func (m *Model) fileSettings() (kvfile.Settings, error) {
	s := kvfile.Settings{PageBytes: uint64(m.program.PageBytes()), StateBytes: uint64(m.program.StateBytes())}
	var err error
	if s.K, err = m.options.CacheK.quant(); err != nil {
		return s, err
	}
	if s.V, err = m.options.CacheV.quant(); err != nil {
		return s, err
	}
	h := sha256.New()
	keys := m.file.Metadata.Keys()
	slices.Sort(keys)
	for _, key := range keys {
		v, _ := m.file.Metadata.Get(key)
		text, _ := v.Str()
		n, _ := v.Int()
		x, _ := v.Float()
		list, _ := v.FloatSlice()
		fmt.Fprintf(h, "%q %q %d %g %v\n", key, text, n, x, list)
	}
	var sample [64]byte
	for i := range m.file.Tensors {
		t := &m.file.Tensors[i]
		b := sample[:min(int64(len(sample)), t.Size)]
		if err := m.file.ReadTensor(t, b, (t.Size-int64(len(b)))/2); err != nil {
			return s, err
		}
		fmt.Fprintf(h, "%q %v %v %x\n", t.Name, t.Type, t.Shape, b)
	}
	h.Sum(s.Model[:0])
	return s, nil
}
