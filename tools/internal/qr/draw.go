package qr

// draw places patterns and data, with the mask that the standard's penalties like best.
func (v *version) draw(number int, data []byte) *Code {
	var best *Code
	least := 0
	for mask := range 8 {
		c := &Code{size: 17 + 4*number}
		c.dark, c.pattern = make([]bool, c.size*c.size), make([]bool, c.size*c.size)
		c.patterns(v.align, number)
		c.format(mask)
		c.place(data, mask)
		if p := c.penalty(); best == nil || p < least {
			best, least = c, p
		}
	}
	return best
}

func (c *Code) set(x, y int, dark bool) {
	if x >= 0 && y >= 0 && x < c.size && y < c.size {
		c.dark[y*c.size+x], c.pattern[y*c.size+x] = dark, true
	}
}

// ring draws concentric squares about a point; radius 4 includes the light border of a finder.
func (c *Code) ring(x, y, radius int, dark func(distance int) bool) {
	for dy := -radius; dy <= radius; dy++ {
		for dx := -radius; dx <= radius; dx++ {
			c.set(x+dx, y+dy, dark(max(dx, -dx, dy, -dy)))
		}
	}
}

func (c *Code) patterns(align []int, number int) {
	n := c.size
	for i := range n {
		c.set(6, i, i%2 == 0)
		c.set(i, 6, i%2 == 0)
	}
	finder := func(d int) bool { return d != 2 && d != 4 }
	c.ring(3, 3, 4, finder)
	c.ring(n-4, 3, 4, finder)
	c.ring(3, n-4, 4, finder)
	for _, y := range align {
		for _, x := range align {
			if corner := x == 6 && y == 6 || x == 6 && y == n-7 || x == n-7 && y == 6; !corner {
				c.ring(x, y, 2, func(d int) bool { return d != 1 })
			}
		}
	}
	if number >= 7 {
		bits := number<<12 | check(number, 12, 0x1f25)
		for i := range 18 {
			c.set(n-11+i%3, i/3, bits>>i&1 == 1)
			c.set(i/3, n-11+i%3, bits>>i&1 == 1)
		}
	}
}

// check is the remainder of a value, moved up by n bits, divided by a polynomial of degree n (BCH).
func check(value, n, polynomial int) int {
	rest := value
	for range n {
		rest = rest<<1 ^ rest>>(n-1)*polynomial
	}
	return rest
}

// format writes the level and the mask, twice.
func (c *Code) format(mask int) {
	n := c.size
	value := 1<<3 | mask // level L
	bits := (value<<10 | check(value, 10, 0x537)) ^ 0x5412
	on := func(i int) bool { return bits>>i&1 == 1 }
	for i := range 6 {
		c.set(8, i, on(i))
		c.set(5-i, 8, on(9+i))
	}
	c.set(8, 7, on(6))
	c.set(8, 8, on(7))
	c.set(7, 8, on(8))
	for i := range 8 {
		c.set(n-1-i, 8, on(i))
	}
	for i := 8; i < 15; i++ {
		c.set(8, n-15+i, on(i))
	}
	c.set(8, n-8, true)
}

// place writes data in pairs of columns, from the right, up and down in turn.
func (c *Code) place(data []byte, mask int) {
	at := 0
	for right := c.size - 1; right > 0; right -= 2 {
		if right == 6 {
			right-- // the column of the timing pattern
		}
		for i := range c.size {
			y := i
			if (right+1)&2 == 0 {
				y = c.size - 1 - i
			}
			for x := right; x > right-2; x-- {
				if c.pattern[y*c.size+x] {
					continue
				}
				dark := at < 8*len(data) && data[at/8]>>(7-at%8)&1 == 1
				at++
				c.dark[y*c.size+x] = dark != masked(mask, x, y)
			}
		}
	}
}

// masked says which modules a mask inverts.
func masked(mask, x, y int) bool {
	switch mask {
	case 0:
		return (x+y)%2 == 0
	case 1:
		return y%2 == 0
	case 2:
		return x%3 == 0
	case 3:
		return (x+y)%3 == 0
	case 4:
		return (x/3+y/2)%2 == 0
	case 5:
		return x*y%2+x*y%3 == 0
	case 6:
		return (x*y%2+x*y%3)%2 == 0
	}
	return ((x+y)%2+x*y%3)%2 == 0
}

// penalty measures how hard a code is to read: runs, blocks of one colour, what looks like a finder, and the share of dark.
func (c *Code) penalty() int {
	sum, dark := 0, 0
	finder := []bool{true, false, true, true, true, false, true, false, false, false, false}
	for a := range c.size {
		for _, at := range []func(i int) bool{func(i int) bool { return c.at(i, a) }, func(i int) bool { return c.at(a, i) }} {
			run := 0
			for i := range c.size {
				if i > 0 && at(i) == at(i-1) {
					run++
				} else {
					run = 1
				}
				if run == 5 {
					sum += 3
				} else if run > 5 {
					sum++
				}
				forward, backward := i+11 <= c.size, i+11 <= c.size
				for k := 0; k < 11 && (forward || backward); k++ {
					forward = forward && at(i+k) == finder[k]
					backward = backward && at(i+k) == finder[10-k]
				}
				sum += 40 * (bit(forward) + bit(backward))
			}
		}
		for b := range c.size {
			dark += bit(c.at(a, b))
			if d := c.at(a, b); a+1 < c.size && b+1 < c.size && d == c.at(a+1, b) && d == c.at(a, b+1) && d == c.at(a+1, b+1) {
				sum += 3
			}
		}
	}
	share := 20*dark/(c.size*c.size) - 10 // in steps of 5 percent from a half
	return sum + 10*max(share, -share)
}
