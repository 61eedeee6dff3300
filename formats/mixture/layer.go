package mixture

import (
	"strconv"
	"strings"
)

// LayerOf returns the number in blk.N., or -1.
func LayerOf(name string) int {
	n, _ := CutLayer(name)
	return n
}

// CutLayer also returns what follows blk.N. in the name.
func CutLayer(name string) (layer int, rest string) {
	after, isBlock := strings.CutPrefix(name, "blk.")
	number, rest, ok := strings.Cut(after, ".")
	n, err := strconv.ParseUint(number, 10, 31)
	if !isBlock || !ok || err != nil {
		return -1, name
	}
	return int(n), rest
}
