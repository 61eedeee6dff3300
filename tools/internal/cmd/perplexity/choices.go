package perplexity

import (
	"context"
	"errors"
	"fmt"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/score"
	"github.com/llamakit/llamakit/tools/internal/tasks"
)

// hellaSwag measures how often a model finds the right one of four endings (Zellers et al. 2019, arXiv:1905.07830).
func (o *options) hellaSwag(ctx context.Context) error {
	name, data, err := o.text()
	if err != nil {
		return err
	}
	list, err := tasks.HellaSwag(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return o.choose(ctx, &choices{Measure: "hellaswag", Text: name}, tasks.Shuffle(list, o.hellaswagTasks))
}

// winoGrande measures how often a model finds the right one of two words (Sakaguchi et al. 2019, arXiv:1907.10641).
func (o *options) winoGrande(ctx context.Context) error {
	name, data, err := o.text()
	if err != nil {
		return err
	}
	list, notes, err := tasks.Winogrande(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, note := range notes {
		o.note("%s: %s", name, note)
	}
	return o.choose(ctx, &choices{Measure: "winogrande", Text: name}, tasks.Pick(list, o.winograndeTasks))
}

// multipleChoice measures how often a model finds a right one of several answers.
func (o *options) multipleChoice(ctx context.Context) error {
	name, data, err := o.text()
	if err != nil {
		return err
	}
	list, err := tasks.MultipleChoice(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return o.choose(ctx, &choices{Measure: "multiple-choice", Text: name}, tasks.Pick(list, o.choiceTasks))
}

// choices is a measure of choices on its way, and what --json prints of it.
type choices struct {
	display *display
	answers int

	Measure  string         `json:"measure"`
	Model    string         `json:"model"`
	Text     string         `json:"text"`
	Tasks    int            `json:"tasks"`
	Done     int            `json:"tasks_done"`
	Right    int            `json:"right"`
	Accuracy score.Estimate `json:"accuracy"`
	Interval [2]float64     `json:"interval_95"`
	Chance   score.Estimate `json:"random_chance"`
	Seconds  float64        `json:"seconds"`
	Results  []chosen       `json:"results"`
}

// chosen is what came of one task.
type chosen struct {
	Scores []float64 `json:"scores"` // mean log-probability of each choice
	Choice int       `json:"choice"`
	Right  bool      `json:"right"`
}

// Tasks that are computed at the same time, and sequences of theirs.
const (
	tasksTogether     = 4
	sequencesTogether = 8
)

// choose scores tasks with a model.
func (o *options) choose(ctx context.Context, c *choices, list []tasks.Task) error {
	if o.Options.Context == 0 {
		o.Options.Context = defaultContext
	}
	o.sizeEngine(o.Options.Context)
	o.Options.Sequences, o.Options.Cache = sequencesTogether, max(o.Options.Context, sequencesTogether*defaultContext)
	m, err := o.openChecked(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	questions, err := o.questions(m, list)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Text, err)
	}
	c.Model, c.Tasks, c.display = o.Path, len(list), o.newDisplay(len(list), c.Measure)
	c.heading()
	err = c.run(ctx, m, questions)
	c.display.end()
	return errors.Join(c.report(o), err)
}

func (o *options) questions(m *engine.Model, list []tasks.Task) ([]question, error) {
	var questions []question
	for i, t := range list {
		q, err := newQuestion(m.Vocab(), t)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", i+1, err)
		}
		if n := q.longest(); n > o.Options.Context {
			return nil, fmt.Errorf("task %d has %d tokens, a context %d; give a larger one with -c", i+1, n, o.Options.Context)
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// outcome is a question's scores.
type outcome struct {
	scores []float64
	err    error
}

// run scores several questions at the same time and takes the results in order.
func (c *choices) run(ctx context.Context, m *engine.Model, questions []question) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pending := make(chan chan outcome, tasksTogether-1)
	go func() {
		defer close(pending)
		for i := range questions {
			done := make(chan outcome, 1)
			pending <- done
			go func() {
				scores, err := questions[i].score(ctx, m)
				done <- outcome{scores, err}
			}()
		}
	}()
	var failed error
	for done := range pending {
		switch o := <-done; {
		case failed != nil:
		case o.err != nil:
			failed = fmt.Errorf("task %d: %w", c.Done+1, o.err)
			cancel()
		default:
			if failed = c.take(&questions[c.Done], o.scores); failed != nil {
				cancel()
			}
		}
	}
	return failed
}

// take counts a task and shows the estimate.
func (c *choices) take(q *question, scores []float64) error {
	best, right := 0, 0
	for i, s := range scores {
		if s > scores[best] {
			best = i
		}
		if q.right[i] {
			right = i
		}
	}
	c.Done++
	c.answers += len(scores)
	if q.right[best] {
		c.Right++
	}
	c.Results = append(c.Results, chosen{scores, best, q.right[best]})
	percent := 100 * float64(c.Right) / float64(c.Done)
	switch c.Measure {
	case "hellaswag":
		low, high := score.Wilson(c.Right, c.Done)
		c.display.printf("%d\t%3.8f%%\t[%3.4f%%, %3.4f%%]\n", c.Done, percent, 100*low, 100*high)
	case "winogrande":
		c.display.printf("%d\t%.4f\t%10.6f  %10.6f  %d  %d\n", c.Done, percent, scores[0], scores[1], best+1, right+1)
	default:
		c.display.printf("%d\t%.8f\n", c.Done, percent)
	}
	return c.display.advance(1, fmt.Sprintf("%.2f%% right", percent))
}

func (c *choices) heading() {
	switch c.Measure {
	case "hellaswag":
		c.display.printf("\ntask\tacc_norm\t95%% confidence interval\n")
	case "multiple-choice":
		c.display.printf("\ntask\tacc_norm\n")
	}
}

// report prints the score, or what is known of it.
func (c *choices) report(o *options) error {
	if c.Done == 0 {
		return nil
	}
	c.Accuracy, c.Seconds = score.Share(c.Right, c.Done), c.display.seconds()
	c.Chance = score.Binomial(float64(c.Done)/float64(c.answers), c.Done)
	c.Interval[0], c.Interval[1] = score.Wilson(c.Right, c.Done)
	if o.json {
		return asjson.Write(o.stdout, c)
	}
	of := ""
	if c.Done < c.Tasks {
		of = fmt.Sprintf(" of %d", c.Tasks)
	}
	a := c.Accuracy
	switch c.Measure {
	case "hellaswag":
		fmt.Fprintf(o.stdout, "Final HellaSwag score(%d%s tasks): %.4f [%.4f, %.4f]\n", c.Done, of, 100*a.Value, 100*c.Interval[0], 100*c.Interval[1])
	case "winogrande":
		fmt.Fprintf(o.stdout, "Final Winogrande score(%d%s tasks): %.4f +/- %.4f\n", c.Done, of, 100*a.Value, 100*a.Error)
	default:
		fmt.Fprintf(o.stdout, "Tasks: %d%s\nFinal result: %.4f +/- %.4f\n", c.Done, of, 100*a.Value, 100*a.Error)
		fmt.Fprintf(o.stdout, "Random chance: %.4f +/- %.4f\n", 100*c.Chance.Value, 100*c.Chance.Error)
	}
	return nil
}
