package imatrix

import (
	"fmt"
	"testing"
)

// TestStatistics has two layers with numbers that can be followed by hand.
func TestStatistics(t *testing.T) {
	m := New()
	m.Entries["blk.0.attn_q.weight"] = &Entry{Squares: []float32{2, 2, 8, 8}, Sums: []float32{2, -2, 4, -4}, Counts: []float32{2}}
	m.Entries["blk.2.attn_q.weight"] = &Entry{Squares: []float32{4, 4, 16, 16}, Sums: []float32{2, -2, 4, -4}, Counts: []float32{1}}
	m.Entries["blk.2.ffn_up_exps.weight"] = &Entry{Squares: []float32{1, 3, 0, 0}, Counts: []float32{1, 0}}
	m.Entries["output.weight"] = &Entry{Squares: []float32{0, 0}, Sums: []float32{0, 0}, Counts: []float32{1}}
	all := m.Statistics()
	var got []string
	for _, s := range all {
		got = append(got, fmt.Sprintf("%d %s %d of %.4g: mean %.4g ± %.4g, %.4g %.4g, %.4g%%",
			s.Layer, s.Name, s.Elements, s.SumSquares, s.Mean, s.StdDev, s.Skewness, s.Kurtosis, s.HNorm))
	}
	want := []string{
		"0 blk.0.attn_q.weight 4 of 10: mean 0 ± 1.581, 0 -1.64, 86.1%",
		"2 blk.2.attn_q.weight 4 of 40: mean 0 ± 3.162, 0 -1.64, 86.1%",
		"2 blk.2.ffn_up_exps.weight 2 of 4: mean 2 ± 1, 0 -2, 81.13%",
		"-1 output.weight 2 of 0: mean 0 ± 0, 0 0, 0%",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
	if all[0].Change != nil || all[2].Change != nil {
		t.Error("a first tensor is compared")
	}
	layers := Layers(all)
	for _, c := range []*Change{all[1].Change, &layers[1].Change} {
		if g := fmt.Sprintf("%.4g %.4g %.4g %.4g %.4g", c.Gain(), c.Distance(), c.Cosine(), c.Pearson(), c.Covariance()); g != "2 3.162 1 1 5" {
			t.Errorf("the layer before and this: %s", g)
		}
	}
	if len(layers) != 2 || layers[1].SumSquares != 44 {
		t.Errorf("%+v", layers)
	}
}
