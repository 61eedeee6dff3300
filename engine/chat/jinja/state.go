package jinja

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Limits bound what one rendering may use; a zero field has the default written beside it. Templates come from
// strangers: whatever one does, rendering ends soon, in bounded memory, with an error.
type Limits struct {
	Steps  int // evaluated expressions and statements, and work in proportion (10 million: about half a second)
	Output int // bytes of the result (32 MiB)
	Size   int // bytes of one text, 16 for each element of one list (32 MiB)
	Memory int // bytes of all texts and lists made on the way, freed or not (512 MiB)
	Depth  int // nesting of expressions, macro calls and recursive loops (3000)
}

const (
	bytesPerStep = 16 // how much text one step may go through
	itemBytes    = 16 // what one element of a list counts for
	fuelChunk    = 1024
)

func (l Limits) withDefaults() Limits {
	l.Steps = orDefault(l.Steps, 10_000_000)
	l.Output = orDefault(l.Output, 32<<20)
	l.Size = orDefault(l.Size, 32<<20)
	l.Memory = orDefault(l.Memory, 512<<20)
	l.Depth = orDefault(l.Depth, 3000)
	return l
}

func orDefault(n, d int) int {
	if n <= 0 {
		return d
	}
	return n
}

// state is one rendering. Failures leave the evaluator as a panic with an *Error, which Render turns into its result;
// nothing else is recovered.
type state struct {
	tmpl   *Template
	ctx    context.Context
	limits Limits
	now    time.Time // read once
	opts   *Options

	fuel   int // steps left until the next look at limits and context
	steps  int // steps handed out as fuel
	memory int
	depth  int
	at     int // offset in the source of what is being evaluated

	root  []Value // template-wide variables by symbol
	scope *scope  // innermost; nil at the top
	out   *strings.Builder
	stack []Value // what the loops stand at, outermost first
}

// spend takes n steps.
func (s *state) spend(n int) {
	s.fuel -= n
	if s.fuel < 0 {
		s.refuel()
	}
}

func (s *state) refuel() {
	used := fuelChunk - s.fuel
	s.fuel = fuelChunk
	s.steps += used
	if s.steps > s.limits.Steps {
		s.failf(LimitError, "the template does not end within %d steps", s.limits.Steps)
	}
	if err := s.ctx.Err(); err != nil {
		e := s.newError(CanceledError, "rendering stopped: "+err.Error())
		e.cause = err
		panic(e)
	}
}

// reserve accounts for a text or list of n bytes that is about to be made.
func (s *state) reserve(n int) {
	if n > s.limits.Size || n < 0 {
		s.failf(LimitError, "a value would be larger than %d bytes", s.limits.Size)
	}
	s.memory += n
	if s.memory > s.limits.Memory {
		s.failf(LimitError, "the template makes more than %d bytes of values", s.limits.Memory)
	}
	s.spend(n / bytesPerStep)
}

// reserveTimes is reserve(n*times) without overflow.
func (s *state) reserveTimes(n, times int) {
	if n > 0 && times > s.limits.Size/n {
		s.reserve(-1)
	}
	s.reserve(max(n*times, 0))
}

// sized accounts for a text that was just made from one of about its size.
func (s *state) sized(text string) string {
	s.reserve(len(text))
	return text
}

// list makes a list value of items, accounting for them.
func (s *state) list(items []Value) *List {
	s.reserve(itemBytes * len(items))
	return &List{Items: items}
}

// enter and leave bracket one level of nesting; a failure needs no leave.
func (s *state) enter() {
	s.depth++
	if s.depth > s.limits.Depth {
		s.failf(LimitError, "nested more than %d deep", s.limits.Depth)
	}
}

func (s *state) leave() { s.depth-- }

// write adds to the output.
func (s *state) write(text string) {
	if s.out.Len()+len(text) > s.limits.Output {
		s.failf(LimitError, "the output is longer than %d bytes", s.limits.Output)
	}
	s.reserve(len(text))
	s.out.WriteString(text)
}

// capture returns what f writes.
func (s *state) capture(f func()) string {
	saved := s.out
	s.out = new(strings.Builder)
	f()
	text := s.out.String()
	s.out = saved
	return text
}

func (s *state) newError(kind Kind, message string) *Error {
	line, column := position(s.tmpl.source, s.at)
	items := make([]Value, 0, len(s.stack))
	for i := len(s.stack) - 1; i >= 0; i-- {
		items = append(items, s.stack[i])
	}
	return &Error{Kind: kind, Template: s.tmpl.Name, Line: line, Column: column, Message: message, Items: items}
}

func (s *state) failf(kind Kind, format string, args ...any) {
	panic(s.newError(kind, fmt.Sprintf(format, args...)))
}

// failUndefined is what using u does.
func (s *state) failUndefined(u *Undefined) {
	if u.unsafe {
		s.failf(SecurityError, "%s", u.message())
	}
	s.failf(UndefinedError, "%s", u.message())
}
