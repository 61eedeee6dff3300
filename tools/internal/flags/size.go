package flags

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size stores a number of bytes that is given with a unit: 4GiB, 700M, 1.5gb. Units are powers of 1024.
func Size(p *int64) Value {
	return Func(func(s string) error {
		n, err := parseSize(s)
		if err == nil {
			*p = n
		}
		return err
	})
}

// DecimalSize stores a number of bytes that is given as gguf-split reads it: 300M or 2G, in powers of 1000.
func DecimalSize(p *int64) Value {
	return Func(func(s string) error {
		n, err := parseDecimalSize(s)
		if err == nil {
			*p = n
		}
		return err
	})
}

func parseDecimalSize(text string) (int64, error) {
	units := map[string]int64{"K": 1e3, "M": 1e6, "G": 1e9}
	digits := strings.TrimRight(text, "KMG")
	unit, known := units[text[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n < 1 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size such as 300M or 2G", text)
	}
	return n * unit, nil
}

func parseSize(text string) (int64, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(lower, "abcdefghijklmnopqrstuvwxyz")
	unit := strings.TrimSuffix(strings.TrimSuffix(lower[len(digits):], "b"), "i")
	shift := strings.Index("kmgt", unit)*10 + 10
	if unit == "" {
		shift = 0
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !(n > 0) || len(unit) > 1 || shift == 0 && unit != "" || n*math.Exp2(float64(shift)) > 1e18 {
		return 0, fmt.Errorf("%q is not a size such as 4GiB or 700M", text)
	}
	return int64(n * math.Exp2(float64(shift))), nil
}
