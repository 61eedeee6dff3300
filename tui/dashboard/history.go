package dashboard

import (
	"slices"
	"time"
)

// history is what the view remembers of earlier snapshots.
type history struct {
	latest *Snapshot
	at     time.Time
	speeds []Speeds // one a bucket, the newest last
	bucket time.Time
	prompt float64 // tokens of the bucket that is being filled
	answer float64

	slots map[int]*slotHistory
	ended []Ended // the newest first
}

// slotHistory is how a slot's request went so far.
type slotHistory struct {
	task         int
	began, first time.Time
	firstAnswer  int // tokens at first
	speed        float64
}

// Ended is a request that came to its end while the view looked.
type Ended struct {
	Task, Prompt, Cached, Answer int
	Speed                        float64 // tokens a second
	Took                         time.Duration
	Stopped                      string
}

const (
	bucketLength = 2 * time.Second
	maxBuckets   = 300 // ten minutes
	maxEnded     = 50
)

// add takes a snapshot in.
func (h *history) add(s *Snapshot, now time.Time) {
	if h.slots == nil {
		h.slots, h.bucket = map[int]*slotHistory{}, now
	}
	if h.latest != nil {
		took := now.Sub(h.at)
		speeds := between(h.latest, s, took)
		h.prompt += speeds.Prompt * took.Seconds()
		h.answer += speeds.Generated * took.Seconds()
	}
	for now.Sub(h.bucket) >= bucketLength {
		h.speeds = append(h.speeds, Speeds{h.prompt / bucketLength.Seconds(), h.answer / bucketLength.Seconds()})
		h.prompt, h.answer, h.bucket = 0, 0, h.bucket.Add(bucketLength)
	}
	h.speeds = h.speeds[max(0, len(h.speeds)-maxBuckets):]
	for i := range s.Slots {
		h.follow(&s.Slots[i], now)
	}
	h.latest, h.at = s, now
}

// follow notes where a request began, how fast it goes, and its end.
func (h *history) follow(s *Slot, now time.Time) {
	past := h.slots[s.ID]
	if past != nil && (past.task != s.Task || !s.Busy) {
		h.end(s.ID, past, s, now)
		past = nil
	}
	if !s.Busy {
		return
	}
	if past == nil {
		past = &slotHistory{task: s.Task, began: now}
		h.slots[s.ID] = past
		// A request that left its slot to others, and has another one now, did not end.
		h.ended = slices.DeleteFunc(h.ended, func(e Ended) bool { return e.Task == s.Task && e.Stopped == "" })
	}
	if s.Answer > 0 && past.first.IsZero() {
		past.first, past.firstAnswer = now, s.Answer
	}
	if took := now.Sub(past.first); !past.first.IsZero() && took > 0 {
		past.speed = float64(s.Answer-past.firstAnswer) / took.Seconds()
	}
}

// end moves a request to the list of those that ended. What it was like at last is in the new snapshot if nobody else has the
// slot yet, else in the one before.
func (h *history) end(id int, past *slotHistory, s *Slot, now time.Time) {
	delete(h.slots, id)
	last := s
	if s.Task != past.task {
		if last = h.slotBefore(id); last == nil {
			return
		}
	}
	h.ended = append([]Ended{{Task: past.task, Prompt: last.Prompt, Cached: last.Cached, Answer: last.Answer, Speed: past.speed,
		Took: now.Sub(past.began), Stopped: last.Stopped}}, h.ended...)
	h.ended = h.ended[:min(len(h.ended), maxEnded)]
}

func (h *history) slotBefore(id int) *Slot {
	if h.latest == nil { // a server that gives two slots one number
		return nil
	}
	for i := range h.latest.Slots {
		if h.latest.Slots[i].ID == id {
			return &h.latest.Slots[i]
		}
	}
	return nil
}

// speed is how fast a slot generates; 0: not known yet.
func (h *history) speed(id int) (tokens float64, since time.Duration) {
	if past := h.slots[id]; past != nil {
		return past.speed, h.at.Sub(past.began)
	}
	return 0, 0
}

// series returns the two series of the plot and the greatest value of each.
func (h *history) series() (prompt, answer []float64, topPrompt, topAnswer float64) {
	for _, s := range h.speeds {
		prompt, answer = append(prompt, s.Prompt), append(answer, s.Generated)
		topPrompt, topAnswer = max(topPrompt, s.Prompt), max(topAnswer, s.Generated)
	}
	return prompt, answer, topPrompt, topAnswer
}
