// Command int writes the assembly of the integer matrix products, one file a run:
//
//	go run ./int -file q4k -out ../int_q4k_amd64.s
//
// Every kernel exists for two tiers, AVX-512 (with VBMI and VNNI) and AVX2 (with FMA and F16C). The Go files beside
// the output declare the kernels and say what they compute; here stands how.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
)

// files maps the argument of -file to what writes that file's kernels.
var files = map[string]func(){
	"act": func() {
		for _, w := range widths {
			quantizer(w, false)
			quantizer(w, true)
			blockQuantizer(w, false)
			blockQuantizer(w, true)
		}
	},
	"blocks": func() {
		blockTile("gemmBlocks6", 6, false)
		blockTile("gemmBlocks4", 4, false)
		blockTile("gemmMins6", 6, true)
		blockTile("gemmMins4", 4, true)
		signedTile("gemmSigned2", 2, false)
		signedTile("gemmSmall2", 2, true)
		halvesTile512("gemmHalves6", 6)
		halvesTile512("gemmHalves4", 4)
		halvesTile256("gemmHalves2", 2)
	},
	"q80":   q80,
	"q40":   q40,
	"q41":   q41,
	"q50":   q50Type.kernels,
	"q51":   q51,
	"iq4nl": iq4nlType.kernels,
	"mxfp4": mxfp4Type.kernels,
	"iq4xs": iq4xs,
	"q2k":   q2kType.kernels,
	"q3k":   q3kType.kernels,
	"q4k":   q4kType.kernels,
	"q5k":   q5kType.kernels,
	"q6k":   q6k,
	"grid":  gridTiles,
	"tq20":  tq20,
	"q10":   q10Type.kernels,
	"q20":   q20Type.kernels,
	"nvfp4": nvfp4,
	"tq10":  tq10,
}

func init() {
	for _, g := range gridTypes {
		files[strings.ToLower(g.name)] = g.kernels
	}
}

func main() {
	name := flag.String("file", "", "which kernels to write")
	flag.Parse()
	emit, ok := files[*name]
	if !ok {
		var names []string
		for n := range files {
			names = append(names, n)
		}
		slices.Sort(names)
		fmt.Fprintf(os.Stderr, "int: -file %q: want one of %v\n", *name, names)
		os.Exit(2)
	}
	build.ConstraintExpr("amd64,!purego")
	emit()
	build.Generate()
}
