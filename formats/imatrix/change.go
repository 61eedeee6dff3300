package imatrix

import (
	"math"
	"slices"
)

// Change is how activations differ from those of an earlier layer: sums over pairs of columns, so that the changes of a
// layer's tensors can be added.
type Change struct {
	n                          int
	dot, norm, normBefore      float64 // of mean activations
	distance                   float64 // squared
	covariance, vari, variPrev float64 // the same, centred

	energy, energyBefore     float64 // sums of mean squares
	elements, elementsBefore int
}

// change compares an entry with one before it; nil where they do not fit.
func (m *Matrix) change(s, before *Statistics) *Change {
	plain := s.Plain && before.Plain
	a, b := m.Entries[s.Name].averages(plain), m.Entries[before.Name].averages(plain)
	if len(a) != len(b) {
		return nil
	}
	c := &Change{}
	var meanA, meanB float64
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			c.n++
			meanA += a[i]
			meanB += b[i]
		}
	}
	if c.n == 0 {
		return nil
	}
	meanA, meanB = meanA/float64(c.n), meanB/float64(c.n)
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			c.pair(a[i], b[i], meanA, meanB)
		}
	}
	if before.SumSquares > tiny {
		c.energy, c.elements = s.SumSquares, s.Elements
		c.energyBefore, c.elementsBefore = before.SumSquares, before.Elements
	}
	return c
}

func (c *Change) pair(a, b, meanA, meanB float64) {
	c.dot += a * b
	c.norm += a * a
	c.normBefore += b * b
	c.distance += (a - b) * (a - b)
	c.covariance += (a - meanA) * (b - meanB)
	c.vari += (a - meanA) * (a - meanA)
	c.variPrev += (b - meanB) * (b - meanB)
}

// add adds another tensor's change.
func (c *Change) add(o *Change) {
	c.n += o.n
	c.dot += o.dot
	c.norm += o.norm
	c.normBefore += o.normBefore
	c.distance += o.distance
	c.covariance += o.covariance
	c.vari += o.vari
	c.variPrev += o.variPrev
	c.energy += o.energy
	c.energyBefore += o.energyBefore
	c.elements += o.elements
	c.elementsBefore += o.elementsBefore
}

// Gain is the ratio of the root mean squares. Like the others it is NaN where nothing was compared.
func (c *Change) Gain() float64 {
	return math.Sqrt(c.energy/float64(c.elements)) / math.Sqrt(c.energyBefore/float64(c.elementsBefore))
}

// Distance is the Euclidean distance of the mean activations.
func (c *Change) Distance() float64 {
	if c.n == 0 {
		return math.NaN()
	}
	return math.Sqrt(c.distance)
}

// Cosine is the cosine of the angle between the mean activations.
func (c *Change) Cosine() float64 { return correlation(c.dot, c.norm, c.normBefore) }

// Pearson is the correlation coefficient of the mean activations.
func (c *Change) Pearson() float64 { return correlation(c.covariance, c.vari, c.variPrev) }

// Covariance is the covariance of the mean activations.
func (c *Change) Covariance() float64 { return c.covariance / float64(c.n) }

func correlation(product, a, b float64) float64 {
	if (a == 0) != (b == 0) {
		return 0
	}
	return max(-1, min(1, product/(math.Sqrt(a)*math.Sqrt(b))))
}

// LayerStatistics sum up a layer's tensors.
type LayerStatistics struct {
	Layer      int
	SumSquares float64
	Change     Change
}

// Layers sums up the statistics of tensors by layer.
func Layers(all []Statistics) []LayerStatistics {
	var layers []LayerStatistics
	for _, s := range all {
		if s.Layer < 0 {
			continue
		}
		i := slices.IndexFunc(layers, func(l LayerStatistics) bool { return l.Layer == s.Layer })
		if i < 0 {
			i = len(layers)
			layers = append(layers, LayerStatistics{Layer: s.Layer})
		}
		layers[i].SumSquares += s.SumSquares
		if s.Change != nil {
			layers[i].Change.add(s.Change)
		}
	}
	return layers
}
