package perplexity

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// choiceFile writes multiple-choice tasks, the last answer right.
func choiceFile(t *testing.T, questions ...[]string) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(questions)))
	b = append(b, make([]byte, 4*len(questions))...)
	add := func(s string) { b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...) }
	for _, q := range questions {
		add(q[0])
		b = binary.LittleEndian.AppendUint32(b, uint32(len(q)-1))
		for _, answer := range q[1:] {
			add(answer)
		}
		for i := range q[1:] {
			b = binary.LittleEndian.AppendUint32(b, uint32((i+2)/len(q)))
		}
		b = binary.LittleEndian.AppendUint32(b, 0)
	}
	path := filepath.Join(t.TempDir(), "tasks.bin")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// What llama.cpp v0.7.0 prints: llama-perplexity -m demo.gguf --hellaswag -f hellaswag.txt --hellaswag-tasks 6, and
// --winogrande -f winogrande.csv, with the percentages left out since near ties fall either way.
const (
	hellaswagWant = `1	100.00000000%	[20.6549%, 100.0000%]
2	50.00000000%	[9.4531%, 90.5469%]
3	66.66666667%	[20.7660%, 93.8508%]
4	75.00000000%	[30.0642%, 95.4413%]
5	80.00000000%	[37.5535%, 96.3776%]
6	66.66666667%	[29.9993%, 90.3229%]`
	winograndeWant = `-6.589467 -6.550181
-6.662011 -5.596025
-10.964744 -10.247236
-10.632855 -10.915045
-10.083330 -10.253252`
)

// TestChoices compares with llama.cpp v0.7.0 where it is right: its second score of a Winogrande task with little after the
// gap begins with the wrong row, and such tasks are not in the list.
func TestChoices(t *testing.T) {
	m := model(t)
	choice := choiceFile(t, []string{"Once there was a", "kettle of the", "brave hedgehog"}, []string{"Hello! How can I", "lamp?", "boat?", "help you?"})
	for _, c := range []struct {
		args []string
		want string
		near float64
	}{
		{[]string{"--hellaswag", "-f", "testdata/hellaswag.txt", "--hellaswag-tasks", "6"}, hellaswagWant, 1e-9},
		{[]string{"--winogrande", "-f", "testdata/winogrande.csv"}, winograndeWant, 0.03},
		{[]string{"--multiple-choice", "-bf", choice}, "1\t100.00000000\n2\t100.00000000\n", 1e-9},
	} {
		got := exec(t.Context(), append([]string{"-m", m}, c.args...)...)
		g, w := numbers(got.out), numbers(c.want)
		if c.args[0] == "--winogrande" { // the scores, without the share that is right
			g = withoutEveryThird(g)
		}
		if got.code != 0 || len(g) < len(w) {
			t.Fatalf("%v: code %d, %s%s", c.args, got.code, got.out, got.err)
		}
		for i := range w {
			if math.Abs(g[i]-w[i]) > c.near*(1+math.Abs(w[i])) {
				t.Errorf("%v: number %d is %g, want %g\n%s", c.args, i, g[i], w[i], got.out)
			}
		}
	}
}

func withoutEveryThird(x []float64) (out []float64) {
	for ; len(x) >= 3; x = x[3:] {
		out = append(out, x[1:3]...)
	}
	return out
}
