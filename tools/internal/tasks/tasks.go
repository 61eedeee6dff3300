// Package tasks reads the files of tasks that llama-perplexity scores models with: HellaSwag, Winogrande, and multiple choice in
// the binary form that ARC, MMLU and TruthfulQA are passed around in.
//
// A task is several texts, of which a model should find a right one the most likely.
package tasks

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// Task is one question.
type Task struct {
	Texts []string // one a choice, whole
	Right []bool   // which choices are right
	Heads []string // of a Winogrande task: each text up to the end of its choice. What follows is scored, not the choice.
}

// HellaSwag reads six lines a task: the beginning, the number of the right ending, and four endings.
func HellaSwag(text string) ([]Task, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines)%6 != 0 || text == "" {
		return nil, fmt.Errorf("HellaSwag tasks are 6 lines each (a beginning, 0 to 3 for the right ending, 4 endings); %d lines do not divide by 6", len(lines))
	}
	var tasks []Task
	for i := 0; i < len(lines); i += 6 {
		right, err := strconv.Atoi(strings.TrimSpace(lines[i+1]))
		if err != nil || right < 0 || right > 3 {
			return nil, fmt.Errorf("line %d: %q is not the number of an ending, 0 to 3", i+2, lines[i+1])
		}
		t := Task{Right: make([]bool, 4)}
		t.Right[right] = true
		for _, ending := range lines[i+2 : i+6] {
			t.Texts = append(t.Texts, lines[i]+" "+ending)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// Winogrande reads CSV: a number, a sentence with _ for a gap, two words for it, and 1 or 2 for the right one. Lines that are
// otherwise, such as a heading, are left out and noted.
func Winogrande(text string) (tasks []Task, notes []string, err error) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		t, err := winogrande(line)
		if err != nil {
			notes = append(notes, fmt.Sprintf("line %d is left out: %v", i+1, err))
			continue
		}
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		return nil, nil, fmt.Errorf("no Winogrande task: %s", cmp.Or(strings.Join(notes[:min(1, len(notes))], ""), "there is no line"))
	}
	return tasks, notes, nil
}

func winogrande(line string) (Task, error) {
	r := csv.NewReader(strings.NewReader(line))
	r.LazyQuotes = true
	fields, err := r.Read()
	if err != nil || len(fields) < 5 {
		return Task{}, fmt.Errorf("%d fields, want number,sentence,word,word,answer", len(fields))
	}
	before, after, found := strings.Cut(fields[1], "_")
	if !found {
		return Task{}, fmt.Errorf("no _ in %q", fields[1])
	}
	answer := strings.TrimSpace(fields[4])
	if answer != "1" && answer != "2" {
		return Task{}, fmt.Errorf("the answer is %q, want 1 or 2", answer)
	}
	t := Task{Right: []bool{answer == "1", answer == "2"}}
	for _, word := range fields[2:4] {
		t.Heads = append(t.Heads, before+word)
		t.Texts = append(t.Texts, before+word+after)
	}
	return t, nil
}
