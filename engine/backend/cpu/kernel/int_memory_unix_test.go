//go:build unix

package kernel

import (
	"testing"

	"golang.org/x/sys/unix"
)

// atPageEnd copies b to the end of a page that is followed by one nobody may touch, or to the start of one that
// follows such a page.
func atPageEnd(t *testing.T, b []byte, start bool) []byte {
	t.Helper()
	page := unix.Getpagesize()
	size := roundUp(len(b), page)
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(m) })
	for _, guard := range [][]byte{m[:page], m[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	dst := m[page : page+size]
	if !start {
		dst = dst[size-len(b):]
	}
	return dst[:copy(dst, b)]
}

// Weights are a mapped file: reading past either end would kill the process.
func TestIntMatMulStaysWithinWeights(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		eachIntType(t, func(t *testing.T, typ *intType) {
			r := newRandom(8)
			ks := []int{256, 768}
			if typ.typ.BlockSize() == 32 {
				ks = append(ks, 32, 64, 320)
			}
			for _, k := range ks {
				for _, s := range [][2]int{{1, 1}, {1, 3}, {1, 4}, {1, 6}, {2, 33}, {4, 32}, {7, 35}} {
					p := newIntProblem(r, typ.typ, plainWeights, s[0], s[1], k)
					want := p.generic(t)
					for _, start := range []bool{false, true} {
						w, acts := atPageEnd(t, p.w, start), atPageEnd(t, p.acts, start)
						got := make([]float32, p.m*p.n)
						p.mul.Rows(got, p.n, w, acts, p.m, k)
						compare(t, p, got, want)
					}
				}
			}
		})
	})
}
