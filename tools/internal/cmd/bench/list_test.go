package bench

import (
	"slices"
	"testing"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string][]int{
		"5": {5}, "1-4": {1, 2, 3, 4}, "16-32+8": {16, 24, 32}, "16-33+8": {16, 24, 32}, "8-32*2": {8, 16, 32}, "1-8*2": {1, 2, 4, 8}, "3-3": {3}, "0-2": {0, 1, 2},
	} {
		if got, err := parseRange(text, 0); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", "-1", "1-", "a-b", "1-4+", "1-4+0", "1-4*1", "1-4*0", "0-4*2", "4-1", "1-2-3", "1.5", "99999999999999999999"} {
		if got, err := parseRange(text, 0); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got, err := parseRange("-1", -1); err != nil || !slices.Equal(got, []int{-1}) {
		t.Errorf("-1: %v, %v", got, err)
	}
}

func FuzzParseRange(f *testing.F) {
	for _, text := range []string{"5", "1-4", "16-32+8", "8-32*2", "1-9223372036854775807*9223372036854775807", "9223372036854775806-9223372036854775807"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseRange(text, 1)
		if err == nil && (len(list) == 0 || len(list) > maxValues+1 || !slices.IsSorted(list) || list[0] < 1) {
			t.Errorf("%q: %d values", text, len(list))
		}
	})
}
