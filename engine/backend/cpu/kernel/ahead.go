package kernel

import "unsafe"

// memoryAhead is how many bytes ahead memory is asked for, for the second-level cache: enough to keep a core's requests in flight.
const memoryAhead = 12 << 10

// aheadTo is how far next is from what is read now; where it is not known, what follows is next.
func aheadTo(now, next []byte) int {
	if len(next) == 0 {
		return memoryAhead
	}
	return int(uintptr(unsafe.Pointer(&next[0])) - uintptr(unsafe.Pointer(&now[0])))
}
