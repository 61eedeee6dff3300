package engine

import "sync"

// mailbox is a queue of events. The scheduler never waits for a slow reader: it puts the request aside while much is unread.
type mailbox struct {
	mu     sync.Mutex
	filled sync.Cond
	events []Event
	err    error
	closed bool
	full   bool   // the request was put aside
	wake   func() // called when it need not be any more
}

// While maxUnread events are in a mailbox its request is put aside, until all but enoughRead are read.
const (
	maxUnread  = 1024
	enoughRead = 256
)

func newMailbox(wake func()) *mailbox {
	b := &mailbox{wake: wake}
	b.filled.L = &b.mu
	return b
}

// ready says whether the reader keeps up.
func (b *mailbox) ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = b.full && len(b.events) > enoughRead || len(b.events) >= maxUnread
	return !b.full
}

func (b *mailbox) change(f func()) {
	b.mu.Lock()
	f()
	b.mu.Unlock()
	b.filled.Broadcast()
}

func (b *mailbox) put(e Event)    { b.change(func() { b.events = append(b.events, e) }) }
func (b *mailbox) fail(err error) { b.change(func() { b.err, b.closed = err, true }) }
func (b *mailbox) end()           { b.change(func() { b.closed = true }) }

// take waits for the next event. more is false at the end; an error comes after all events.
func (b *mailbox) take() (e Event, err error, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.events) == 0 && !b.closed {
		b.filled.Wait()
	}
	if len(b.events) > 0 {
		e, b.events = b.events[0], b.events[1:]
		if b.full && len(b.events) == enoughRead {
			b.wake()
		}
		return e, nil, true
	}
	err, b.err = b.err, nil
	return Event{}, err, err != nil
}

// drain waits for the end.
func (b *mailbox) drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed {
		b.filled.Wait()
	}
}
