package hf

// read fills s.values with n rows of matrix m of a tensor, from row on, as the rule wants them.
func (s *stream) read(src *tensor, m, row, n int) error {
	v := &s.x.view
	if cap(s.values) < n*v.width {
		s.values = make([]float32, n*v.width)
	}
	s.values = s.values[:n*v.width]
	var err error
	if v.turned {
		err = s.readTurned(src, m, row, n)
	} else {
		err = s.readRows(src, m, row, n)
	}
	if err != nil {
		return err
	}
	if v.pickColumns != nil {
		s.values = columns(s.values, v.width, v.pickColumns)
	}
	s.change(row, n)
	return nil
}

// readRows reads rows that follow one another in one go.
func (s *stream) readRows(src *tensor, m, row, n int) error {
	v := &s.x.view
	for i := 0; i < n; {
		first, run := v.row(row+i), 1
		for i+run < n && v.row(row+i+run) == first+run {
			run++
		}
		if err := src.decode(s.values[i*v.width:(i+run)*v.width], (m*v.rows+first)*v.width); err != nil {
			return err
		}
		i += run
	}
	return nil
}

// readTurned gathers rows that the checkpoint has as columns.
func (s *stream) readTurned(src *tensor, m, row, n int) error {
	v := &s.x.view
	first, last := v.row(row), v.row(row)
	for i := range n {
		first, last = min(first, v.row(row+i)), max(last, v.row(row+i))
	}
	line := make([]float32, last-first+1)
	for k := range v.width {
		if err := src.decode(line, (m*v.width+k)*v.rows+first); err != nil {
			return err
		}
		for i := range n {
			s.values[i*v.width+k] = line[v.row(row+i)-first]
		}
	}
	return nil
}

// change applies what a rule does to values.
func (s *stream) change(row, n int) {
	r, total := s.x.rule, s.x.view.picked()
	width := len(s.values) / n
	for i := range n {
		scale := float32(1)
		if r.scale != nil {
			scale = r.scale(s.c.folder.Config, row+i, total)
		}
		for k := range width {
			x := &s.values[i*width+k]
			if r.each != nil {
				*x = r.each(*x)
			}
			if scale != 1 {
				*x *= scale
			}
			if r.add != 0 {
				*x += r.add
			}
		}
	}
}

// columns picks from each row.
func columns(values []float32, width int, from []int) []float32 {
	out := make([]float32, 0, len(values)/width*len(from))
	for row := 0; row < len(values); row += width {
		for _, k := range from {
			out = append(out, values[row+k])
		}
	}
	return out
}

// flipped makes rows of columns.
func flipped(values []float32, rows, width int) []float32 {
	out := make([]float32, len(values))
	for i := range rows {
		for k := range width {
			out[k*rows+i] = values[i*width+k]
		}
	}
	return out
}
