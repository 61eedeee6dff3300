package arch

import "github.com/llamakit/llamakit/engine/graph"

// ERNIE 4.5, dense (technical report at yiyan.baidu.com/blog/publication): the plain decoder with rotary pairs (2i, 2i+1)
// and SwiGLU. PaddleOCR-VL (arXiv:2510.14528) is the same with pairs (i, i + Dims/2) in sections for time, height and width; in text
// all three positions are the same.

func newERNIE45(s *source) architecture {
	m := s.decoder(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled))
	m.dropOutputBias()
	return m
}

func newPaddleOCR(s *source) architecture {
	return s.decoder(s.rope(graph.RopeNeox, nil), s.swiGLU(unscaled))
}

func init() {
	register("ernie4_5", newERNIE45)
	register("paddleocr", newPaddleOCR)
}
