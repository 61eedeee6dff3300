package gguf

// HeaderOnly returns a file that has keys and tensors, and no data: one that is to be written, or one whose data is not to
// be read. Bytes of its tensors are nil. What [Open] would refuse is an error.
func HeaderOnly(md *Metadata, tensors []TensorInfo) (*File, error) {
	l, err := plan(md, tensors)
	if err != nil {
		return nil, err
	}
	s := &shard{version: 3, md: md, alignment: l.alignment, headerOnly: true, close: func() error { return nil }}
	for i, t := range tensors {
		s.tensors = append(s.tensors, Tensor{Name: t.Name, Type: t.Type, Shape: t.Shape, Size: l.sizes[i]})
	}
	return newFile([]*shard{s})
}

// WithoutData returns a file with the keys and tensors of f alone; see [HeaderOnly].
func (f *File) WithoutData() (*File, error) {
	infos := make([]TensorInfo, len(f.Tensors))
	for i := range f.Tensors {
		infos[i] = f.Tensors[i].Info()
	}
	return HeaderOnly(f.Metadata, infos)
}
