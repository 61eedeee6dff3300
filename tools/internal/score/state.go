package score

// State is what a mean of N values is continued from: the mean and the sum of (x - mean)².
func (m *Mean) State() (mean, squares float64) { return m.mean, m.squares }

// Resume returns the mean of n values with that state.
func Resume(n int, mean, squares float64) Mean { return Mean{N: n, mean: mean, squares: squares} }
