// Package sched decides which sequences a step computes.
//
// A Scheduler owns the books of the cache and calls a Runner, the compiled model, from one goroutine. A step packs what all
// running sequences need into one batch: the newest token of those that generate, and chunks of the prompts of those that
// do not yet. Then each sequence whose last row was computed chooses its next token. It knows nothing of text: a Request
// carries the functions that choose and receive tokens.
//
// A sequence is its tokens and how many of them are computed. Everything follows from that: a new prompt, one that found a
// cached prefix, one that was put back because pages ran out, and one whose context was shifted differ in the second
// number only.
package sched

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
)

// Token is a vocabulary index.
type Token = int32

// Runner computes batches; backend.Program is one.
type Runner interface {
	Run(b *backend.Batch)
	Logits(i int) []float32
	Hidden(i int) []float32
	Copy(c kv.Copy)
	CopyState(c kv.StateCopy)
}

// Config sizes a scheduler.
type Config struct {
	Context   int  // tokens a sequence can hold
	Rows      int  // rows of a batch at most
	Outputs   int  // rows of a batch that want logits at most
	Sequences int  // sequences running at the same time
	Queue     int  // requests that may wait beside them; 0: any number
	Pages     int  // pages of the cache: room for one whole context at least
	Fresh     bool // every row is computed, whatever the cache knows
	States    int  // slots for recurrent states: more than Sequences, the others are checkpoints; 0: the model has none
	// Whole is for models that are not causal: a prompt is computed in one batch, so it must have Rows tokens at most, and
	// every request has Row, no more than Rows outputs, and chooses nothing.
	Whole bool
}

// Errors of requests that are not taken, or cut.
var (
	ErrClosed   = errors.New("the model is closed")
	ErrBusy     = errors.New("too many requests are waiting")
	ErrDraining = errors.New("the model is being closed and takes no new requests")
)

// Request is one sequence to compute. The functions are called from the scheduler's goroutine and must not wait.
type Request struct {
	Prompt []Token
	Max    int  // tokens to choose at most; 0: the prompt is computed and nothing chosen; negative: no limit
	Shift  bool // forget the oldest half when the context is full, but for the first Keep tokens
	Keep   int
	Fresh  bool // every row is computed, whatever the cache knows
	// Pinned makes the request wait for the slot numbered Slot; otherwise it gets any.
	Pinned bool
	Slot   int
	ID     uint64 // the caller's, for Stats

	// Choose picks the next token from logits, which it must not keep. Its error ends the request.
	Choose func(logits []float32) (Token, error)
	// Sole, when set, is asked after each token for the next one where it is certain without logits. Its tokens are computed together
	// with the one that is chosen after them.
	Sole func() (t Token, ok bool, err error)
	// Took receives each token; it returns true to stop.
	Took func(t Token) (stop bool)
	// Seated tells the slot that the sequence has from now on.
	Seated func(slot int)
	// Progress reports how much of the prompt is computed: first, when the request is admitted, what the cache knew.
	Progress func(done, total int)
	// Row, when set, receives the logits and the hidden state of the positions of the prompt from From on.
	Row func(pos int, logits, hidden []float32)
	// From is Row's first position, and To, unless it is 0, the one after its last. A cached prefix is used up to From.
	From, To int
	// Flush, when set, follows the rows of each batch: their memory is valid until it returns.
	Flush func()
	// Ready, when set, says whether what was handed over has been read, or little enough is left. While it is not, the request waits
	// in the queue, with neither slot nor pages; Wake is to be called when it is again.
	Ready func() bool
	// Done is called once, last.
	Done func(Outcome)
}

// Outcome says how a request ended.
type Outcome struct {
	Err  error // the context's error, one of those above, or nil
	Full bool  // the context was full
	Stop bool  // Took said so; when neither: Max was reached

	Cached                  int // tokens of the prompt that were found in the cache
	Generated               int
	Shifts                  int
	Queue, Prompt, Generate time.Duration
}

// Scheduler runs requests.
type Scheduler struct {
	config Config
	runner Runner
	pool   *kv.Pool
	batch  backend.Batch

	mu       sync.Mutex
	wake     chan struct{} // has a value when there may be work
	queue    []*sequence   // waiting, first come first; changed by setQueue
	calls    []func()      // to run between steps
	closed   bool
	draining bool
	open     atomic.Int32  // requests submitted and not done
	waiting  atomic.Int32  // the length of the queue, for who does not want to wait for the lock
	idle     chan struct{} // has a value when open became 0
	stopped  chan struct{}
	counts   counts

	// The loop's own:
	running []*sequence
	order   []*sequence // scratch of pack
	slots   []slot
	starved *sequence // comes first in the next batch
	crowded bool      // a sequence was put back, and none ended since
	step    int64
}

// New starts a scheduler on a runner.
func New(r Runner, c Config) *Scheduler {
	s := &Scheduler{config: c, runner: r, pool: kv.NewPool(c.Pages, c.States), wake: make(chan struct{}, 1),
		idle: make(chan struct{}, 1), stopped: make(chan struct{}), slots: make([]slot, c.Sequences)}
	go s.loop()
	return s
}

// Submit queues requests; those of one call begin in the same step, as far as there is room. They end early when ctx does, and at
// once with ErrBusy, ErrDraining or ErrClosed.
func (s *Scheduler) Submit(ctx context.Context, requests ...*Request) {
	var refused []error // by request
	now := time.Now()
	s.mu.Lock()
	for _, r := range requests {
		refused = append(refused, s.enqueue(&sequence{Request: r, ctx: ctx, sched: s, tokens: append([]Token(nil), r.Prompt...), queued: now}))
	}
	s.mu.Unlock()
	for i, err := range refused {
		if err != nil {
			requests[i].Done(Outcome{Err: err})
		}
	}
	s.signal()
}

// enqueue is called with the lock held.
func (s *Scheduler) enqueue(q *sequence) error {
	switch {
	case s.closed:
		return ErrClosed
	case s.draining:
		return ErrDraining
	case s.config.Queue > 0 && int(s.open.Load()) >= s.config.Sequences+s.config.Queue:
		return ErrBusy
	}
	s.open.Add(1)
	s.setQueue(append(s.queue, q))
	return nil
}

// setQueue is called with the lock held.
func (s *Scheduler) setQueue(queue []*sequence) {
	s.queue = queue
	s.waiting.Store(int32(len(queue)))
}

// Wake has the scheduler look again at requests that were not Ready.
func (s *Scheduler) Wake() { s.signal() }

func (s *Scheduler) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close ends all requests with ErrClosed and returns when the runner is idle for good.
func (s *Scheduler) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.signal()
	<-s.stopped
}

// Drain takes no new requests and waits until those that there are have ended, or ctx has.
func (s *Scheduler) Drain(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	for s.open.Load() > 0 {
		select {
		case <-s.idle:
		case <-s.stopped:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Do runs f between two steps, when nothing else looks at the pool.
func (s *Scheduler) Do(f func(p *kv.Pool)) error {
	done := make(chan struct{})
	s.mu.Lock()
	closed := s.closed
	s.calls = append(s.calls, func() { f(s.pool); close(done) })
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	s.signal()
	select {
	case <-done:
		return nil
	case <-s.stopped:
		return ErrClosed
	}
}

func (s *Scheduler) runCalls() {
	s.mu.Lock()
	calls := s.calls
	s.calls = nil
	s.mu.Unlock()
	for _, f := range calls {
		f()
	}
}

// loop takes steps while there is work. Contexts are looked at between steps: while nothing runs only those wait who are not ready,
// and they have the loop woken.
func (s *Scheduler) loop() {
	defer close(s.stopped)
	for {
		s.runCalls()
		if s.admit() {
			for _, q := range s.running {
				q.end(ErrClosed)
			}
			return
		}
		s.publish()
		if len(s.running) == 0 {
			<-s.wake
			continue
		}
		if s.pack() {
			s.runner.Run(&s.batch)
			s.counts.step(&s.batch)
			s.harvest()
		}
		s.sweep()
	}
}

// admit moves waiting requests to the running ones. It returns true when the scheduler was closed.
func (s *Scheduler) admit() (closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		for _, q := range s.queue {
			q.end(ErrClosed)
		}
		s.setQueue(nil)
		return true
	}
	waiting := s.queue[:0]
	for _, q := range s.queue {
		switch err := q.ctx.Err(); {
		case err != nil:
			q.end(err)
		case q.ready() && s.hasRoom() && s.takeSlot(q):
			s.begin(q)
			s.running = append(s.running, q)
		default:
			waiting = append(waiting, q)
		}
	}
	clear(s.queue[len(waiting):])
	s.setQueue(waiting)
	return false
}

// begin finds the cached prefix of a sequence.
func (s *Scheduler) begin(q *sequence) {
	if q.admitted.IsZero() {
		q.admitted = time.Now()
	}
	find := q.tokens
	switch {
	case s.config.Fresh, s.config.Whole, q.Fresh:
		find = nil
	case q.Row != nil:
		find = find[:min(q.From+1, len(find))] // position From itself is computed
	}
	kvs, copied, state := s.pool.Open(find)
	if copied != nil {
		s.runner.Copy(*copied)
	}
	if state != nil {
		s.runner.CopyState(*state)
	}
	q.kv = kvs
	q.planCheckpoints()
	s.follow(q, find)
	if q.generated == 0 && q.shifts == 0 && !q.restarted {
		q.cached = kvs.Len()
		if q.Progress != nil {
			q.Progress(q.cached, len(q.Prompt))
		}
	}
}

// sweep drops sequences that ended, or whose context did, and puts those back that wait for their readers or leave their place to
// others.
func (s *Scheduler) sweep() {
	kept := s.running[:0]
	for _, q := range s.running {
		if err := q.ctx.Err(); err != nil && !q.ended {
			q.end(err)
		}
		switch {
		case q.ended:
			s.leave(q)
			s.release(q)
			s.crowded = false
		case !q.ready():
			s.park(q)
		case q.shifted && s.wanted():
			s.requeue(q, false)
		default:
			kept = append(kept, q)
		}
		q.shifted = false
	}
	clear(s.running[len(kept):])
	s.running = kept
}
