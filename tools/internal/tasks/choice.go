package tasks

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// maxAnswers is the most answers that a task may have.
const maxAnswers = 100

// MultipleChoice reads a binary file, all little-endian:
//
//	number of tasks u32, place of each task u32
//	task: question, answers of which one is right, answers of which several are right (not scored)
//	answers: number u32, texts, 1 or 0 for right or wrong i32 each
//	text: length u32, bytes
func MultipleChoice(data []byte) ([]Task, error) {
	c := &cursor{data: data}
	n := c.number()
	if c.bad || n == 0 || uint64(len(data)) < 4+4*uint64(n) {
		return nil, errors.New("is no file of multiple-choice tasks: it should begin with their number and places")
	}
	c.take(4 * n)
	var tasks []Task
	for i := range n {
		t, err := c.task()
		if err != nil {
			return nil, fmt.Errorf("task %d of %d, before byte %d: %w", i+1, n, c.at, err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// cursor reads numbers and texts, and remembers when there were not enough bytes.
type cursor struct {
	data []byte
	at   int
	bad  bool
}

func (c *cursor) take(n uint32) []byte {
	if uint64(len(c.data)-c.at) < uint64(n) {
		c.bad = true
		return nil
	}
	c.at += int(n)
	return c.data[c.at-int(n) : c.at]
}

func (c *cursor) number() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) text() string { return string(c.take(c.number())) }

func (c *cursor) task() (Task, error) {
	question := c.text()
	answers, right, err := c.answers()
	if err != nil {
		return Task{}, err
	}
	if _, _, err := c.answers(); err != nil {
		return Task{}, err
	}
	t := Task{Right: right}
	for _, a := range answers {
		if question == "" || a == "" {
			return Task{}, errors.New("the question or an answer is empty")
		}
		t.Texts = append(t.Texts, question+" "+a)
	}
	if len(t.Texts) < 2 {
		return Task{}, fmt.Errorf("%d answers to choose from", len(t.Texts))
	}
	return t, nil
}

func (c *cursor) answers() (texts []string, right []bool, err error) {
	n := c.number()
	if n > maxAnswers {
		return nil, nil, fmt.Errorf("%d answers, want %d at most", n, maxAnswers)
	}
	for range n {
		texts = append(texts, c.text())
	}
	for range n {
		right = append(right, c.number() == 1)
	}
	if c.bad {
		return nil, nil, errors.New("the file was cut short")
	}
	return texts, right, nil
}
