package cpu

import "sync/atomic"

// share is a range of parts. Its worker takes them from the front, others from the back.
type share struct {
	ends atomic.Uint64 // the first part, times 1<<32, plus the part after the last
}

func (s *share) set(from, to int) { s.ends.Store(uint64(from)<<32 | uint64(to)) }

func (s *share) first() (part int, ok bool) {
	for {
		ends := s.ends.Load()
		from, to := ends>>32, ends&(1<<32-1)
		if from >= to {
			return 0, false
		}
		if s.ends.CompareAndSwap(ends, ends+1<<32) {
			return int(from), true
		}
	}
}

func (s *share) last() (part int, ok bool) {
	for {
		ends := s.ends.Load()
		from, to := ends>>32, ends&(1<<32-1)
		if from >= to {
			return 0, false
		}
		if s.ends.CompareAndSwap(ends, ends-1) {
			return int(to - 1), true
		}
	}
}
