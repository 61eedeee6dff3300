// Package qr makes QR codes of short texts (ISO/IEC 18004): byte mode, versions 1 to 10, error correction level L, and draws
// them with half blocks.
package qr

import (
	"fmt"
	"strings"
)

// Code is a square of dark and light modules.
type Code struct {
	size    int
	dark    []bool
	pattern []bool // modules that hold no data
}

// version is what the standard says of a size at level L.
type version struct {
	data   int   // bytes of data
	blocks int   // that they are cut into
	ec     int   // error correction bytes of each
	align  []int // coordinates of alignment patterns
}

// versions are numbers 1 to 10.
var versions = []version{
	{19, 1, 7, nil}, {34, 1, 10, []int{6, 18}}, {55, 1, 15, []int{6, 22}}, {80, 1, 20, []int{6, 26}}, {108, 1, 26, []int{6, 30}},
	{136, 2, 18, []int{6, 34}}, {156, 2, 20, []int{6, 22, 38}}, {194, 2, 24, []int{6, 24, 42}}, {232, 2, 30, []int{6, 26, 46}},
	{274, 4, 18, []int{6, 28, 50}},
}

// Encode makes the smallest code that holds the text.
func Encode(text string) (*Code, error) {
	for i, v := range versions {
		header := 12 // mode and length
		if i+1 >= 10 {
			header = 20
		}
		if header+8*len(text) <= 8*v.data {
			return v.draw(i+1, v.interleave(v.fill(text, header))), nil
		}
	}
	return nil, fmt.Errorf("%d bytes are too many for a QR code of version %d", len(text), len(versions))
}

// fill makes the data bytes: mode, length, text, and padding.
func (v *version) fill(text string, header int) []byte {
	out := make([]byte, v.data)
	at := 0
	put := func(value, bits int) {
		for i := bits - 1; i >= 0 && at < 8*len(out); i-- {
			out[at/8] |= byte(value>>i&1) << (7 - at%8)
			at++
		}
	}
	put(4, 4) // byte mode
	put(len(text), header-4)
	for i := range len(text) {
		put(int(text[i]), 8)
	}
	put(0, 4)
	for i, n := (at+7)/8, 0; i < len(out); i, n = i+1, n+1 {
		out[i] = [2]byte{0xec, 0x11}[n%2]
	}
	return out
}

// interleave cuts data into blocks, adds their error correction, and takes a byte of each in turn.
func (v *version) interleave(data []byte) []byte {
	short, long := v.data/v.blocks, v.data%v.blocks // the last blocks are longer by one
	var blocks, checks [][]byte
	for i := range v.blocks {
		n := short
		if i >= v.blocks-long {
			n++
		}
		blocks, checks, data = append(blocks, data[:n]), append(checks, remainder(data[:n], v.ec)), data[n:]
	}
	var out []byte
	for _, group := range [][][]byte{blocks, checks} {
		for i := range max(short+1, v.ec) {
			for _, b := range group {
				if i < len(b) {
					out = append(out, b[i])
				}
			}
		}
	}
	return out
}

// multiply is the product in GF(256) with the polynomial 0x11d.
func multiply(a, b byte) (product byte) {
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			product ^= a
		}
		high := a&0x80 != 0
		if a <<= 1; high {
			a ^= 0x1d
		}
	}
	return product
}

// remainder is the Reed-Solomon check of data: n bytes.
func remainder(data []byte, n int) []byte {
	generator := []byte{1} // highest power first
	root := byte(1)
	for range n {
		next := make([]byte, len(generator)+1)
		for i, c := range generator {
			next[i] ^= c
			next[i+1] ^= multiply(c, root)
		}
		generator, root = next, multiply(root, 2)
	}
	rest := append(append([]byte{}, data...), make([]byte, n)...)
	for i := range data {
		for k, factor := 1, rest[i]; k < len(generator); k++ {
			rest[i+k] ^= multiply(generator[k], factor)
		}
	}
	return rest[len(data):]
}

// String draws the code with a light margin; two rows of modules are one line. Dark modules are blanks, as terminals are dark.
func (c *Code) String() string {
	var b strings.Builder
	const margin = 2
	for y := -margin; y < c.size+margin; y += 2 {
		for x := -margin; x < c.size+margin; x++ {
			b.WriteString([]string{"█", "▀", "▄", " "}[2*bit(c.at(x, y))+bit(c.at(x, y+1) || y+1 >= c.size+margin)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// at reports a dark module; outside all is light.
func (c *Code) at(x, y int) bool {
	return x >= 0 && y >= 0 && x < c.size && y < c.size && c.dark[y*c.size+x]
}
