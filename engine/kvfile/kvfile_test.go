package kvfile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

func sample() (*Header, []byte) {
	h := &Header{Settings: Settings{Model: [32]byte{1, 2, 3}, K: quant.Q8_0, V: quant.F16, PageBytes: 6, StateBytes: 9},
		Tokens: []int32{5, 9, -1, 1 << 20}, States: []int{2, 4}}
	return h, bytes.Repeat([]byte{7, 1, 8}, (6+2*9)/3)
}

func encode(t testing.TB) []byte {
	h, data := sample()
	var b bytes.Buffer
	n, err := Write(&b, h, func(w io.Writer) error { _, err := w.Write(data); return err })
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes written, said to be %d, %v", b.Len(), n, err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	h, data := sample()
	f, err := Read(bytes.NewReader(encode(t)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f.Data)
	if err != nil || !bytes.Equal(got, data) || f.Settings != h.Settings || !slices.Equal(f.Tokens, h.Tokens) || !slices.Equal(f.States, h.States) {
		t.Errorf("read %+v with %d bytes of data, %v; want %+v with %d", f.Header, len(got), err, h, len(data))
	}
}

// TestDamage: a file that is cut, prolonged or has any byte changed is refused.
func TestDamage(t *testing.T) {
	good := encode(t)
	for n := range good {
		if _, err := Read(bytes.NewReader(good[:n])); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		bad := slices.Clone(good)
		bad[n] ^= 0x40
		if _, err := Read(bytes.NewReader(bad)); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
	if _, err := Read(bytes.NewReader(append(good, 0))); !errors.Is(err, ErrDamaged) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestSettingsSayWhatDiffers(t *testing.T) {
	h, _ := sample()
	for want, change := range map[string]func(*Settings){
		"another model": func(s *Settings) { s.Model[31] = 1 }, "keys": func(s *Settings) { s.K = quant.F16 },
		"values": func(s *Settings) { s.V = quant.F32 }, "a state 9, here 6 and 8": func(s *Settings) { s.StateBytes = 8 },
	} {
		other := h.Settings
		change(&other)
		if err := h.Check(other); !errors.Is(err, ErrForeign) || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("%v, want it to name %q", err, want)
		}
	}
	if err := h.Check(h.Settings); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	good := encode(f)
	f.Add(good)
	f.Add(good[:fixedSize])
	f.Add([]byte("LLKV"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if _, err := Write(&again, &file.Header, func(w io.Writer) error { _, err := io.Copy(w, file.Data); return err }); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Bytes(), b) {
			t.Error("a file that is read and written is another")
		}
	})
}
