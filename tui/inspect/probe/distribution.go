package probe

import "math"

// Bins is the number of bars of a histogram.
const Bins = 20

// Distribution is how the finite values of a tensor are distributed; those that are not are counted. Values pass twice: Add
// takes them all, then, after Finish, Sort.
type Distribution struct {
	Values int       `json:"values"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	Mean   float64   `json:"mean"`
	Std    float64   `json:"std"` // of the population
	RMS    float64   `json:"rms"`
	Zeros  int       `json:"zeros"`
	NaN    int       `json:"nan"`
	Inf    int       `json:"inf"`
	Count  [Bins]int `json:"histogram"` // of equal steps from min to max

	finite   int
	sum, sqr float64
}

// Add counts values, the first time they pass.
func (s *Distribution) Add(values []float32) {
	s.Values += len(values)
	for _, v := range values {
		x := float64(v)
		switch {
		case math.IsNaN(x):
			s.NaN++
			continue
		case math.IsInf(x, 0):
			s.Inf++
			continue
		case x == 0:
			s.Zeros++
		}
		if s.finite == 0 {
			s.Min, s.Max = x, x
		}
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
		s.finite++
		s.sum, s.sqr = s.sum+x, s.sqr+x*x
	}
}

// Finish computes what follows from the sums.
func (s *Distribution) Finish() {
	if s.finite == 0 {
		return
	}
	square := s.sqr / float64(s.finite)
	s.Mean, s.RMS = s.sum/float64(s.finite), math.Sqrt(square)
	s.Std = math.Sqrt(max(0, square-s.Mean*s.Mean))
}

// Step is the width of a bin; 0: all values are the same.
func (s *Distribution) Step() float64 { return (s.Max - s.Min) / Bins }

// Sort puts values into bins, the second time they pass.
func (s *Distribution) Sort(values []float32) {
	low, width := s.Min, s.Step()
	for _, v := range values {
		x := float64(v)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
		case width == 0:
			s.Count[0]++
		default:
			s.Count[min(Bins-1, int((x-low)/width))]++
		}
	}
}
