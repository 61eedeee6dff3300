package kernel

import (
	"sync"
	"unsafe"
)

const (
	intPanel      = 32      // weight rows of a panel
	intPanelBytes = 25216   // the largest panel, with the rows that the codebook types expand
	intTailBytes  = 272     // the largest superblock of a type whose rows may end within one, Q8_0's
	intBand       = 516     // activation rows that one panel is multiplied with: 86 tiles of 6
	intFewActs    = 3       // up to so many activation rows, the row kernels win in any case
	intRowActs    = 4       // most activation rows that a row kernel takes at once
	intChunk      = 32      // weight rows that several activation rows pass at a time, so that they come from a cache
	intRun        = 1 << 20 // bytes of weights that a kernel takes at a time: assembly cannot be preempted
)

// intRowFunc computes, for 4*groups weight rows that lie stride bytes apart and a number of rows of activations actStride bytes apart,
//
//	y[r] = fma(scale of the activations, dot, y[r])
//
// for each of supers superblocks in turn. The results of the rows of activations are yStride bytes apart.
type intRowFunc func(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

// intRows are the row kernels for one row of activations and more. The first is there.
type intRows [intRowActs]intRowFunc

// intUnpackFunc makes a panel of one superblock of 32 rows, stride bytes apart: for each 4 weights of all rows
// 128 bytes, then the scales in a form that the tier's panel kernels share.
type intUnpackFunc func(w *byte, stride int, panel *byte)

// intTileFunc multiplies a panel with tiles of activation rows, actStride bytes apart:
//
//	dst[i][r] = fma(scale of the activations, dot, src[i][r])
//
// Strides are in bytes. Meanwhile 64*aheadStep bytes from ahead on are fetched: a number, since they may be nobody's.
type intTileFunc func(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

// intTile is a panel kernel and the number of activation rows of its tiles.
type intTile struct {
	acts int
	f    intTileFunc
}

// intBody has the kernels of one type for one tier.
type intBody struct {
	row    intRows
	unpack intUnpackFunc
	tiles  [2]intTile // the first is the better one; the second fills up
	width  int        // weight rows of the panel that a tile kernel takes: 32 or 16
}

// intScratch is what one call of rows needs. It is large enough for the allocator to align it to a page.
type intScratch struct {
	panel [intPanelBytes]byte
	tail  [intPanel * intTailBytes]byte
	sums  [intBand * intPanel]float32
	x     [intSuper]float32
	y     [4 * intRowActs]float32
	u     intUnpacked
}

var intScratches = sync.Pool{New: func() any { return new(intScratch) }}

// intProduct is one call of rows. Sizes are in bytes.
type intProduct struct {
	*intBody
	acts             []byte
	actRow, actSize  int // of a prepared row, and of a superblock in it
	wRow, superBytes int
	supers, tail     int // whole superblocks of a row, and bytes after them
	scratch          *intScratch
}

func (p *intProduct) rows(y []float32, ldy int, w []byte, m, n int) {
	if m > p.fewActs() && n >= intPanel {
		for j := 0; j < n; j += intPanel {
			at := min(j, n-intPanel) // the last panel may repeat some rows
			p.panel(y[at:], ldy, w[at*p.wRow:], m)
		}
		return
	}
	chunk := intChunk
	if p.most(m) == m && p.tail == 0 { // they pass once
		chunk = max(4, intRun/p.wRow&^3)
	}
	for j := 0; j < n; j += chunk {
		rows := min(chunk, n-j)
		p.few(y[j:], ldy, rows, w[j*p.wRow:], 0, m)
	}
}

// few multiplies n weight rows with m activation rows from row i on by the row kernels.
func (p *intProduct) few(y []float32, ldy, n int, w []byte, i, m int) {
	for m > 0 {
		acts := p.most(m)
		p.once(y, ldy, n, w, p.acts[i*p.actRow:], acts)
		y, i, m = y[min(acts*ldy, len(y)):], i+acts, m-acts
	}
}

// most is how many of m activation rows a row kernel takes at once.
func (p *intProduct) most(m int) int {
	m = min(m, intRowActs)
	for p.row[m-1] == nil {
		m--
	}
	return m
}

// once multiplies n weight rows with m activation rows that there is a kernel for.
func (p *intProduct) once(y []float32, ldy, n int, w, acts []byte, m int) {
	for i := range m {
		clear(y[i*ldy:][:n])
	}
	groups, rest := n/4, n%4
	if groups > 0 {
		p.groups(y, ldy, w, p.wRow, groups, acts, m)
	}
	four := p.scratch.y[:4*m]
	switch {
	case rest == 0:
	case groups > 0: // with rows that have been done
		clear(four)
		p.groups(four, 4, w[(n-4)*p.wRow:], p.wRow, 1, acts, m)
		for i := range m {
			copy(y[i*ldy+4*groups:][:rest], four[4*i+4-rest:])
		}
	default: // the same row 4 times
		for j := range n {
			clear(four)
			p.groups(four, 4, w[j*p.wRow:], 0, 1, acts, m)
			for i := range m {
				y[i*ldy+j] = four[4*i]
			}
		}
	}
}

// groups runs a row kernel, and once more for the superblock that rows end within.
func (p *intProduct) groups(y []float32, ldy int, w []byte, stride, groups int, acts []byte, m int) {
	row := p.row[m-1]
	if p.supers > 0 {
		row(&w[0], stride, groups, p.supers, &acts[0], p.actRow, &y[0], 4*ldy)
	}
	if p.tail > 0 {
		p.fillTail(w, stride, 4*groups)
		row(&p.scratch.tail[0], p.superBytes, groups, 1, &acts[p.supers*p.actSize], p.actRow, &y[0], 4*ldy)
	}
}

// fewActs is up to how many activation rows the row kernels win.
func (p *intProduct) fewActs() int { return max(intFewActs, p.most(intRowActs)) }

// fillTail copies the last, incomplete superblock of n rows and completes it with zeros.
func (p *intProduct) fillTail(w []byte, stride, n int) {
	for j := range n {
		dst := p.scratch.tail[j*p.superBytes:][:p.superBytes]
		clear(dst[copy(dst, w[j*stride+p.supers*p.superBytes:][:p.tail]):])
	}
}

// panel multiplies 32 weight rows with m activation rows.
func (p *intProduct) panel(y []float32, ldy int, w []byte, m int) {
	for i := 0; i < m; {
		band := min(intBand, m-i)
		if left := m - i - band; left > 0 && left <= intFewActs {
			band -= p.tiles[0].acts // leave enough for a band of its own
		}
		p.band(y[i*ldy:], ldy, w, i, band)
		i += band
	}
}

// band multiplies 32 weight rows with m activation rows from row i on.
func (p *intProduct) band(y []float32, ldy int, w []byte, i, m int) {
	s := p.scratch
	first, second, rest := p.split(m)
	m -= rest
	last := p.supers - 1
	if p.tail > 0 {
		last++
	}
	for k := range last + 1 {
		if k < p.supers {
			p.unpack(&w[k*p.superBytes], p.wRow, &s.panel[0])
		} else {
			p.fillTail(w, p.wRow, intPanel)
			p.unpack(&s.tail[0], p.superBytes, &s.panel[0])
		}
		src, dst := tileSums{s.sums[:], intPanel}, tileSums{s.sums[:], intPanel}
		if k == 0 {
			src = tileSums{noSums[:], 0}
		}
		if k == last {
			dst = tileSums{y, ldy}
		}
		act := p.acts[i*p.actRow+k*p.actSize:]
		next := uintptr(unsafe.Pointer(&w[0])) + uintptr(intPanel*(p.wRow+k*p.superBytes)) // of the next panel
		p.run(p.tiles[0], first, act, src, dst, next)
		if done := first * p.tiles[0].acts; second > 0 {
			p.run(p.tiles[1], second, act[done*p.actRow:], src.from(done), dst.from(done), next)
		}
	}
	if rest > 0 {
		p.few(y[m*ldy:], ldy, intPanel, w, i+m, rest)
	}
}

// tileSums are rows of intPanel sums, ld numbers apart.
type tileSums struct {
	rows []float32
	ld   int
}

// noSums are what the first superblock is added to, the same for every row.
var noSums [intPanel]float32

func (s tileSums) from(row int) tileSums { return tileSums{s.rows[row*s.ld:], s.ld} }

// run multiplies the panel with n tiles and fetches a superblock of 32 rows from next on.
func (p *intProduct) run(t intTile, n int, act []byte, src, dst tileSums, next uintptr) {
	step := p.superBytes / 2
	for h := 0; h < intPanel && n > 0; h += p.width {
		t.f(&p.scratch.panel[4*h], &act[0], p.actRow, n, &src.rows[h], &dst.rows[h], 4*src.ld, 4*dst.ld, next, step)
		next, step = uintptr(unsafe.Pointer(&p.scratch.panel[0])), 0 // it is on its way
	}
}

// split cuts m activation rows into tiles of the first and of the second kind, with as little left over as possible.
func (p *intProduct) split(m int) (first, second, rest int) {
	a, b := p.tiles[0].acts, p.tiles[1].acts
	rest = m
	for f := m / a; f >= max(0, m/a-1); f-- {
		if r := m - f*a; r%b < rest {
			first, second, rest = f, r/b, r%b
		}
	}
	return first, second, rest
}
