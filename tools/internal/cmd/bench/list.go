package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/flags"
)

// maxValues is how long a list may get, so that a slip in a range does not fill the memory.
const maxValues = 10_000

// appendEach hands each value between commas to add. A flag that is given again adds to the list.
func appendEach[T any](list *[]T, parse func(string) ([]T, error)) flags.Value {
	return flags.Func(func(text string) error {
		for _, word := range strings.Split(text, ",") {
			values, err := parse(word)
			if err != nil {
				return err
			}
			if *list = append(*list, values...); len(*list) > maxValues {
				return fmt.Errorf("more than %d values", maxValues)
			}
		}
		return nil
	})
}

// numbers reads whole numbers of at least lo, and ranges of them.
func numbers(list *[]int, lo int) flags.Value {
	return appendEach(list, func(word string) ([]int, error) { return parseRange(word, lo) })
}

// texts reads words.
func texts(list *[]string) flags.Value {
	return appendEach(list, func(word string) ([]string, error) {
		if word == "" {
			return nil, fmt.Errorf("an empty value")
		}
		return []string{word}, nil
	})
}

// words reads words of a choice; each becomes what the choice maps it to.
func words[T any](list *[]T, choice map[string]T, help string) flags.Value {
	return appendEach(list, func(word string) ([]T, error) {
		v, ok := choice[word]
		if !ok {
			return nil, fmt.Errorf("%q is none of %s", word, help)
		}
		return []T{v}, nil
	})
}

// parseRange reads N, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
func parseRange(text string, lo int) ([]int, error) {
	bad := fmt.Errorf("%q is neither a number nor a range such as 1-8, 64-512+64 or 1-32*2", text)
	first, rest, isRange := strings.Cut(text, "-")
	if first == "" && lo < 0 { // a number below 0
		n, err := strconv.Atoi(text)
		if err != nil || n < lo {
			return nil, bad
		}
		return []int{n}, nil
	}
	from, err := atLeast(first, 0)
	if err != nil {
		return nil, bad
	}
	to, step, factor := from, 1, 1
	if isRange {
		if to, step, factor, err = parseEnd(rest); err != nil || to < from {
			return nil, bad
		}
	}
	if from < lo {
		return nil, fmt.Errorf("%d is below %d", from, lo)
	}
	if factor > 1 && from == 0 {
		return nil, bad // it would never end
	}
	var list []int
	for n := from; n <= to && len(list) <= maxValues; n = n*factor + step {
		list = append(list, n)
	}
	return list, nil
}

// parseEnd reads LAST, LAST+STEP or LAST*FACTOR. The next number is the last one times factor plus step.
func parseEnd(text string) (to, step, factor int, err error) {
	step, factor = 1, 1
	last, by, added := strings.Cut(text, "+")
	if !added {
		var multiplied bool
		if last, by, multiplied = strings.Cut(text, "*"); multiplied {
			step = 0
			factor, err = atLeast(by, 2)
		}
	} else {
		step, err = atLeast(by, 1)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	to, err = atLeast(last, 0)
	return to, step, factor, err
}

// atLeast reads a number of 32 bits, so that the next number of a range overflows nothing.
func atLeast(text string, lo int) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && (n < lo || n > math.MaxInt32) {
		err = strconv.ErrRange
	}
	return n, err
}

// pair reads PROMPT,ANSWER.
func pair(list *[][2]int) flags.Value {
	return flags.Func(func(text string) error {
		a, b, ok := strings.Cut(text, ",")
		x, err1 := atLeast(a, 0)
		y, err2 := atLeast(b, 0)
		if !ok || err1 != nil || err2 != nil {
			return fmt.Errorf("%q is not of the form PROMPT,ANSWER", text)
		}
		*list = append(*list, [2]int{x, y})
		return nil
	})
}
