// Command float writes the floating-point assembly of package kernel, one part (a file) a run.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

var parts = map[string]func(){
	"vec":         func() { elementwisePart(elementwiseOps) },
	"glu":         func() { elementwisePart(gluOps) },
	"reduce":      reducePart,
	"rope":        ropePart,
	"half":        halfPart,
	"tile_avx2":   func() { tilePart(avx2, 3, weights...) },
	"tile_avx512": func() { tilePart(avx512, 6, weights...) },
	"tile_bf16":   func() { tilePart(avx512, 6, bf16Pairs) },
	"pipe":        pipePart,
	"fixed":       fixedPart,
	"accumulate":  accumulatePart,
	"decode":      decodePart,
	"state":       statePart,
}

func main() {
	part := flag.String("part", "", "which file to write")
	flag.Parse()
	emit := parts[*part]
	if emit == nil {
		fmt.Fprintf(os.Stderr, "float: no part %q\n", *part)
		os.Exit(2)
	}
	ConstraintExpr("amd64,!purego")
	emit()
	Generate()
}
