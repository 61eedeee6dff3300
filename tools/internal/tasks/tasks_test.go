package tasks

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
)

func TestHellaSwag(t *testing.T) {
	got, err := HellaSwag("Cats: A cat\n2\nbarks.\nflies.\nmeows.\nwrites.\n")
	if err != nil || len(got) != 1 || got[0].Texts[2] != "Cats: A cat meows." || !slices.Equal(got[0].Right, []bool{false, false, true, false}) {
		t.Errorf("%+v (%v)", got, err)
	}
	for _, bad := range []string{"", "a\n0\nb\nc\nd", "a\n4\nb\nc\nd\ne", "a\n-1\nb\nc\nd\ne", "a\nx\nb\nc\nd\ne"} {
		if _, err := HellaSwag(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestWinogrande(t *testing.T) {
	got, notes, err := Winogrande("index,sentence,option1,option2,answer\n" +
		"0,\"The cup, not the plate, broke when _ fell.\",the cup,the plate,1\n" +
		"1,Anna helped Ben because _ asked.,Anna,Ben,2\n")
	if err != nil || len(got) != 2 || len(notes) != 1 {
		t.Fatalf("%+v %q (%v)", got, notes, err)
	}
	if got[0].Texts[1] != "The cup, not the plate, broke when the plate fell." || got[0].Heads[0] != "The cup, not the plate, broke when the cup" ||
		!got[0].Right[0] || !got[1].Right[1] || got[1].Heads[1] != "Anna helped Ben because Ben" {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"", "0,no gap,a,b,1", "0,a _ b,a,b,3", "0,a _ b,a,b", "\"0,a _ b,a,b,1"} {
		if _, _, err := Winogrande(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// binaryTasks writes tasks with two answers each, the second right.
func binaryTasks(n int) []byte {
	u32 := func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
	text := func(b []byte, s string) []byte { return append(u32(b, len(s)), s...) }
	b := u32(nil, n)
	places := len(b)
	b = append(b, make([]byte, 4*n)...)
	for i := range n {
		binary.LittleEndian.PutUint32(b[places+4*i:], uint32(len(b)))
		b = text(b, fmt.Sprintf("Question %d", i))
		b = u32(b, 2)
		b = text(text(b, "no"), "yes")
		b = u32(u32(b, 0), 1)
		b = u32(b, 0)
	}
	return b
}

func TestMultipleChoice(t *testing.T) {
	data := binaryTasks(3)
	got, err := MultipleChoice(data)
	if err != nil || len(got) != 3 || got[2].Texts[1] != "Question 2 yes" || !slices.Equal(got[2].Right, []bool{false, true}) {
		t.Errorf("%+v (%v)", got, err)
	}
	for cut := range len(data) {
		if _, err := MultipleChoice(data[:cut]); err == nil {
			t.Errorf("read when cut at %d", cut)
		}
	}
}

// TestTwister: the 10,000th number of the default seed is given by the C++ standard (rand.predef).
func TestTwister(t *testing.T) {
	r, last := newTwister(5489), uint32(0)
	for range 10000 {
		last = r.next()
	}
	if last != 4123659995 {
		t.Errorf("the 10,000th number is %d", last)
	}
}

func TestPick(t *testing.T) {
	var all []Task
	for i := range 50 {
		all = append(all, Task{Texts: []string{fmt.Sprint(i)}})
	}
	names := func(tasks []Task) (s []string) {
		for _, t := range tasks {
			s = append(s, t.Texts[0])
		}
		return s
	}
	for name, got := range map[string][]string{"Shuffle": names(Shuffle(all, 99)), "Pick": names(Pick(all, 49))} {
		drawn := len(got)
		slices.Sort(got)
		if distinct := len(slices.Compact(got)); distinct != drawn || drawn < 49 {
			t.Errorf("%s: %d distinct of %d", name, distinct, drawn)
		}
	}
	if got := names(Pick(all, 0)); !slices.Equal(got, names(all)) {
		t.Errorf("all tasks came as %v", got)
	}
}

func FuzzTasks(f *testing.F) {
	f.Add(binaryTasks(2))
	f.Add([]byte("a\n0\nb\nc\nd\ne"))
	f.Add([]byte("0,\"a, _ b\",a,b,1\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		choice, _ := MultipleChoice(data)
		swag, _ := HellaSwag(string(data))
		wino, _, _ := Winogrande(string(data))
		for _, task := range slices.Concat(choice, swag, wino) {
			if len(task.Texts) < 2 || len(task.Right) != len(task.Texts) {
				t.Errorf("%+v", task)
			}
		}
	})
}
