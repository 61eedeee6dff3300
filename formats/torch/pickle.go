package torch

import (
	"fmt"
	"math"
)

// machine reads the instructions of pickle protocol 2, which work on a stack (the Python library's pickletools has them all). Every
// instruction takes a byte, and pushes one value at most, so that memory is bounded by the input.
type machine struct {
	data  []byte
	pos   int
	stack []any
	memo  map[uint32]any
	err   error
}

// unpickle returns the value that a pickle describes.
func unpickle(data []byte) (any, error) {
	m := &machine{data: data, memo: map[uint32]any{}}
	for m.err == nil {
		at := m.pos
		op := m.byte()
		if m.err == nil && op == '.' {
			return m.pop(), m.err
		}
		if m.err == nil {
			m.step(op)
		}
		if m.err != nil {
			return nil, fmt.Errorf("byte %d: %w", at, m.err)
		}
	}
	return nil, m.err
}

func (m *machine) fail(kind error, format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes.
func (m *machine) take(n uint32) []byte {
	if uint64(n) > uint64(len(m.data)-m.pos) {
		m.fail(ErrCorrupt, "the file ends in the middle")
		return make([]byte, 8)
	}
	m.pos += int(n)
	return m.data[m.pos-int(n) : m.pos]
}

func (m *machine) byte() byte    { return m.take(1)[0] }
func (m *machine) word() uint32  { return le.Uint32(m.take(4)) }
func (m *machine) push(v any)    { m.stack = append(m.stack, v) }
func (m *machine) text(n uint32) { m.push(string(m.take(n))) }

func (m *machine) pop() any {
	if len(m.stack) == 0 {
		m.fail(ErrCorrupt, "nothing is on the stack")
		return nil
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

// marked takes what is above the last mark, and the mark.
func (m *machine) marked() []any {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items
		}
	}
	m.fail(ErrCorrupt, "no mark is on the stack")
	return nil
}

// top takes n values.
func (m *machine) top(n int) []any {
	if len(m.stack) < n {
		m.fail(ErrCorrupt, "nothing is on the stack")
		return make([]any, n)
	}
	items := append([]any(nil), m.stack[len(m.stack)-n:]...)
	m.stack = m.stack[:len(m.stack)-n]
	return items
}

// line reads up to the end of a line.
func (m *machine) line() string {
	for i := m.pos; i < len(m.data); i++ {
		if m.data[i] == '\n' {
			s := string(m.data[m.pos:i])
			m.pos = i + 1
			return s
		}
	}
	m.fail(ErrCorrupt, "the file ends in the middle of a name")
	return ""
}

// step does one instruction.
func (m *machine) step(op byte) {
	switch op {
	case 0x80: // PROTO
		if v := m.byte(); v > 5 {
			m.fail(ErrUnsupported, "pickle protocol %d", v)
		}
	case '(':
		m.push(mark{})
	case '}':
		m.push(&dict{items: map[string]any{}})
	case ']':
		m.push(&list{})
	case ')':
		m.push(tuple{})
	case 'N':
		m.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		m.push(op == 0x88)
	case 'K':
		m.push(int64(m.byte()))
	case 'M':
		m.push(int64(le.Uint16(m.take(2))))
	case 'J':
		m.push(int64(int32(m.word())))
	case 0x8a: // LONG1
		m.long(m.byte())
	case 'G':
		m.take(8)
		m.push(math.NaN()) // no tensor depends on one
	case 'X', 'T': // BINUNICODE, BINSTRING
		m.text(m.word())
	case 'U', 0x8c: // SHORT_BINSTRING, SHORT_BINUNICODE
		m.text(uint32(m.byte()))
	case 't':
		m.push(tuple(m.marked()))
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		m.push(tuple(m.top(int(op - 0x84))))
	default:
		m.refer(op)
	}
}

// refer does the instructions that name, keep, gather and call.
func (m *machine) refer(op byte) {
	switch op {
	case 'q', 'r': // BINPUT, LONG_BINPUT
		n := m.number(op == 'r')
		v := m.pop()
		m.push(v)
		m.memo[n] = v
	case 'h', 'j': // BINGET, LONG_BINGET
		n := m.number(op == 'j')
		v, ok := m.memo[n]
		if !ok {
			m.fail(ErrCorrupt, "value %d was not kept", n)
		}
		m.push(v)
	case 'c':
		m.name(m.line(), m.line())
	case 'Q':
		m.persistent(m.pop())
	case 'R':
		args := m.pop()
		m.call(m.pop(), args)
	case 'b': // BUILD: attributes of a dictionary, which no tensor depends on
		m.pop()
	case 's':
		pair := m.top(2)
		m.set(pair)
	case 'u':
		m.set(m.marked())
	case 'a':
		m.extend([]any{m.pop()})
	case 'e':
		m.extend(m.marked())
	default:
		m.fail(ErrUnsupported, "instruction %#02x, which torch.save does not write for tensors", op)
	}
}

func (m *machine) number(long bool) uint32 {
	if long {
		return m.word()
	}
	return uint32(m.byte())
}

// long reads an integer of n bytes.
func (m *machine) long(n byte) {
	b := m.take(uint32(n))
	if n > 8 {
		m.fail(ErrUnsupported, "an integer of %d bytes", n)
		return
	}
	x := uint64(0)
	for i := range int(n) {
		x |= uint64(b[i]) << (8 * i)
	}
	if shift := 64 - 8*int(n); n > 0 {
		x = uint64(int64(x<<shift) >> shift)
	}
	m.push(int64(x))
}
