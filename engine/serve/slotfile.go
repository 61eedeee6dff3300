package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// slotAction answers POST /slots/{id}?action=: the cache of a slot's latest sequence goes to a file, or comes from one.
func (s *Server) slotAction(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 0 || id >= m.Sequences() {
		return badRequest("there is no slot %s: this server has 0 to %d", printableName(r.PathValue("id")), m.Sequences()-1)
	}
	actions := map[string]func(*http.Request, *engine.Model, int, string) (any, error){"save": s.saveSlot, "restore": s.restoreSlot, "erase": s.eraseSlot}
	name := r.URL.Query().Get("action")
	action, ok := actions[name]
	if !ok {
		return badRequest("parameter 'action' must be save, restore or erase")
	}
	if s.options.SlotPath == "" {
		return unsupported("slots cannot be saved, restored or erased; start the server with --slot-save-path")
	}
	file := ""
	if name != "erase" {
		if file, err = s.readFileName(w, r); err != nil {
			return err
		}
	}
	answer, err := action(r, m, id, file)
	if err != nil {
		return slotError(err)
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// readFileName reads the name of a file in the folder of slots.
func (s *Server) readFileName(w http.ResponseWriter, r *http.Request) (name string, err error) {
	o, err := s.readObject(w, r)
	if err != nil {
		return "", err
	}
	if o.str("filename", &name); o.err != nil {
		return "", o.err
	}
	control := strings.ContainsFunc(name, func(c rune) bool { return c < ' ' })
	if name == "" || name == "." || filepath.Base(name) != name || !filepath.IsLocal(name) || control || len(name) > maxFileName {
		return "", badRequest("field 'filename' must be a name without a folder, of %d bytes at most", maxFileName)
	}
	return name, nil
}

// slotError blames the request for a file that does not fit and a slot that is not free.
func slotError(err error) error {
	for _, known := range []error{engine.ErrEmptySlot, engine.ErrSlotBusy, engine.ErrNoRoom, engine.ErrFileDamaged, engine.ErrFileForeign, fs.ErrNotExist} {
		if errors.Is(err, known) {
			return badRequest("%v", err)
		}
	}
	return err
}

// saveSlot writes a file, which appears under its name when it is whole.
func (s *Server) saveSlot(_ *http.Request, m *engine.Model, id int, file string) (any, error) {
	root, err := os.OpenRoot(s.options.SlotPath)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, badRequest("%s: is no file, but something else of this name", file)
	}
	begun, part := time.Now(), "."+rand.Text()+".part" // of its own: others may save under this name at the same time
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	tokens, size, err := m.SaveSlot(id, f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(part, file)
	}
	if err != nil {
		return nil, errors.Join(err, root.Remove(part))
	}
	return map[string]any{"id_slot": id, "filename": file, "n_saved": tokens, "n_written": size,
		"timings": map[string]float64{"save_ms": milliseconds(time.Since(begun))}}, nil
}

func (s *Server) restoreSlot(r *http.Request, m *engine.Model, id int, file string) (any, error) {
	root, err := os.OpenRoot(s.options.SlotPath)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
	case err != nil || !info.Mode().IsRegular():
		return nil, badRequest("%s: is no file in the folder of slots", file)
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begun := time.Now()
	tokens, err := m.RestoreSlot(r.Context(), id, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return map[string]any{"id_slot": id, "filename": file, "n_restored": tokens, "n_read": info.Size(),
		"timings": map[string]float64{"restore_ms": milliseconds(time.Since(begun))}}, nil
}

func (s *Server) eraseSlot(_ *http.Request, m *engine.Model, id int, _ string) (any, error) {
	tokens, err := m.EraseSlot(id)
	return map[string]any{"id_slot": id, "n_erased": tokens}, err
}
