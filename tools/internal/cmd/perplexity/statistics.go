package perplexity

import (
	"fmt"
	"io"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/score"
)

// statistics are what --kl-divergence finds out.
type statistics struct {
	Model   string `json:"model"`
	Base    string `json:"base_file"`
	Context int    `json:"context"`
	Chunks  int    `json:"chunks"`
	Done    int    `json:"chunks_done"`
	Scored  int    `json:"tokens_scored"`

	PPL         score.Estimate `json:"ppl"`
	BasePPL     score.Estimate `json:"ppl_base"`
	Correlation float64        `json:"ln_ppl_correlation"`
	LogRatio    score.Estimate `json:"ln_ppl_ratio"`
	Ratio       score.Estimate `json:"ppl_ratio"`
	Difference  score.Estimate `json:"ppl_difference"`

	KLD       score.Estimate     `json:"kld"`
	KLDs      map[string]float64 `json:"kld_quantiles"`
	DeltaP    score.Estimate     `json:"delta_p"`
	DeltaPs   map[string]float64 `json:"delta_p_quantiles"`
	RMSDeltaP score.Estimate     `json:"delta_p_rms"`
	SameTop   score.Estimate     `json:"same_top"`
}

// The quantiles that are shown, in the order of lines.
var (
	kldQuantiles    = []float64{1, 0.999, 0.99, 0.95, 0.9, 0.5, 0.1, 0.05, 0.01, 0.001, 0}
	deltaPQuantiles = []float64{1, 0.999, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0}
)

func newStatistics(d *score.Divergence) *statistics {
	return &statistics{
		Scored: d.N(), PPL: d.Perplexity(), BasePPL: d.BasePerplexity(), Correlation: d.Correlation(), LogRatio: d.LogRatio(),
		Ratio: d.Ratio(), Difference: d.Difference(), KLD: d.KLD(), DeltaP: d.DeltaP(), RMSDeltaP: d.RMSDeltaP(), SameTop: d.SameTop(),
		KLDs: quantiles(kldQuantiles, d.KLDQuantile), DeltaPs: quantiles(deltaPQuantiles, d.DeltaPQuantile),
	}
}

func quantiles(qs []float64, at func(float64) float64) map[string]float64 {
	out := map[string]float64{}
	for _, q := range qs {
		out[fmt.Sprint(q)] = at(q)
	}
	return out
}

// print writes the block that llama.cpp's users know.
func (s *statistics) print(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("====== Perplexity statistics ======")
	line("Mean PPL(Q)                   : %10.6f ± %10.6f", s.PPL.Value, s.PPL.Error)
	line("Mean PPL(base)                : %10.6f ± %10.6f", s.BasePPL.Value, s.BasePPL.Error)
	line("Cor(ln(PPL(Q)), ln(PPL(base))): %6.2f%%", 100*s.Correlation)
	line("Mean ln(PPL(Q)/PPL(base))     : %10.6f ± %10.6f", s.LogRatio.Value, s.LogRatio.Error)
	line("Mean PPL(Q)/PPL(base)         : %10.6f ± %10.6f", s.Ratio.Value, s.Ratio.Error)
	line("Mean PPL(Q)-PPL(base)         : %10.6f ± %10.6f", s.Difference.Value, s.Difference.Error)
	line("")
	line("====== KL divergence statistics ======")
	line("Mean    KLD: %10.6f ± %10.6f", s.KLD.Value, s.KLD.Error)
	for _, q := range kldQuantiles {
		line("%s KLD: %10.6f", quantileName(q), s.KLDs[fmt.Sprint(q)])
	}
	line("")
	line("====== Token probability statistics ======")
	line("Mean    Δp: %6.3f ± %5.3f %%", 100*s.DeltaP.Value, 100*s.DeltaP.Error)
	for _, q := range deltaPQuantiles {
		line("%s Δp: %6.3f%%", quantileName(q), 100*s.DeltaPs[fmt.Sprint(q)])
	}
	line("RMS Δp    : %6.3f ± %5.3f %%", 100*s.RMSDeltaP.Value, 100*s.RMSDeltaP.Error)
	line("Same top p: %6.3f ± %5.3f %%", 100*s.SameTop.Value, 100*s.SameTop.Error)
	_, err := io.WriteString(w, b.String())
	return err
}

// quantileName is seven columns wide.
func quantileName(q float64) string {
	switch q {
	case 1:
		return "Maximum"
	case 0.5:
		return "Median "
	case 0:
		return "Minimum"
	}
	return fmt.Sprintf("%4.1f%%  ", 100*q)
}
