//go:build amd64 && !purego

package kernel

import "github.com/llamakit/llamakit/formats/quant"

var decodeAVX2 = map[quant.Type]decodeFunc{
	quant.Q8_0: decodeQ8_0AVX2, quant.Q4_0: decodeQ4_0AVX2, quant.Q4_1: decodeQ4_1AVX2,
	quant.Q5_0: decodeQ5_0AVX2, quant.Q5_1: decodeQ5_1AVX2, quant.IQ4_NL: decodeIQ4_NLAVX2,
}

var decodeAVX512 = map[quant.Type]decodeFunc{
	quant.Q8_0: decodeQ8_0AVX512, quant.Q4_0: decodeQ4_0AVX512, quant.Q4_1: decodeQ4_1AVX512,
	quant.Q5_0: decodeQ5_0AVX512, quant.Q5_1: decodeQ5_1AVX512, quant.IQ4_NL: decodeIQ4_NLAVX512,
}
