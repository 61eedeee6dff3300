package hf

import "fmt"

// pick lists which of the n rows of a matrix of the checkpoint make the result, in its order.
type pick func(c *Config, n int) ([]int, error)

// span lists n numbers from first.
func span(first, n int) []int {
	out := make([]int, max(n, 0))
	for i := range out {
		out[i] = first + i
	}
	return out
}

// strided takes every step-th row from first.
func strided(first, step int) pick {
	return func(_ *Config, n int) ([]int, error) {
		if n%step != 0 {
			return nil, fmt.Errorf("%d rows cannot be dealt out to %d", n, step)
		}
		out := make([]int, n/step)
		for i := range out {
			out[i] = first + i*step
		}
		return out, nil
	}
}

// share takes the i-th of so many equal parts of the rows.
func share(i, of int) pick {
	return func(_ *Config, n int) ([]int, error) {
		if n%of != 0 {
			return nil, fmt.Errorf("%d rows cannot be cut into %d parts", n, of)
		}
		return span(i*(n/of), n/of), nil
	}
}

// parts takes the i-th of parts whose sizes stand in proportion to the numbers that sizes returns.
func parts(i int, sizes func(*Config) []int) pick {
	return func(c *Config, n int) ([]int, error) {
		all, before := 0, 0
		s := sizes(c)
		for k, size := range s {
			if k < i {
				before += size
			}
			all += size
		}
		if all < 1 || n%all != 0 || s[i] < 0 {
			return nil, fmt.Errorf("%d rows cannot be cut in proportion to %v", n, s)
		}
		unit := n / all
		return span(before*unit, s[i]*unit), nil
	}
}

// rotary undoes the order of rows that the transformers library gives rotary projections. In a head there the first half of the
// rows are the first members of the rotary pairs, and the second half the others; GGUF has pairs side by side.
func rotary(heads func(*Config) int) pick {
	return func(c *Config, n int) ([]int, error) {
		h := heads(c)
		if h < 1 || n%(2*h) != 0 {
			return nil, fmt.Errorf("%d rows cannot be cut into %d heads of pairs", n, h)
		}
		dim, out := n/h, make([]int, n)
		for i := range out {
			in := i % dim
			out[i] = i - in + in%2*(dim/2) + in/2
		}
		return out, nil
	}
}

// then picks by the second from what the first picked.
func then(first, second pick) pick {
	return func(c *Config, n int) ([]int, error) {
		a, err := first(c, n)
		if err != nil {
			return nil, err
		}
		b, err := second(c, len(a))
		for i := range b {
			b[i] = a[b[i]]
		}
		return b, err
	}
}

// concat puts what several pick one after another.
func concat(picks ...pick) pick {
	return func(c *Config, n int) ([]int, error) {
		var out []int
		for _, p := range picks {
			part, err := p(c, n)
			if err != nil {
				return nil, err
			}
			out = append(out, part...)
		}
		return out, nil
	}
}

// grouped takes the i-th part of every group of rows. There are as many groups as groups returns, and the parts of one stand in
// proportion to the numbers that sizes returns: queries, keys and values of a key head, for example.
func grouped(i int, groups func(*Config) int, sizes func(*Config) []int) pick {
	return func(c *Config, n int) ([]int, error) {
		g := groups(c)
		if g < 1 || n%g != 0 {
			return nil, fmt.Errorf("%d rows cannot be cut into %d groups", n, g)
		}
		one, err := parts(i, sizes)(c, n/g)
		var out []int
		for k := range g {
			for _, row := range one {
				out = append(out, k*(n/g)+row)
			}
		}
		return out, err
	}
}

// swapped exchanges the order of two numberings of blocks of rows: of a by b blocks, block (i, j) goes to place (j, i).
func swapped(a, b func(*Config) int) pick {
	return func(c *Config, n int) ([]int, error) {
		x, y := a(c), b(c)
		if x < 1 || y < 1 || n%(x*y) != 0 {
			return nil, fmt.Errorf("%d rows cannot be cut into %d by %d blocks", n, x, y)
		}
		size := n / (x * y)
		out := make([]int, 0, n)
		for j := range y {
			for i := range x {
				out = append(out, span((i*y+j)*size, size)...)
			}
		}
		return out, nil
	}
}

// equal is so many parts of one size.
func equal(n int) func(*Config) []int {
	return func(*Config) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = 1
		}
		return out
	}
}

// halves gives the first half of the rows of each matrix to one tensor, and the second to another.
func halves(first, second, suffix string) rule {
	return rule{to: first, suffix: suffix, rows: share(0, 2), also: []rule{{to: second, suffix: suffix, rows: share(1, 2)}}}
}

// spare marks another spelling of what other rules give.
func spare(r rule) rule {
	r.spare = true
	return r
}
