package cells

import "fmt"

// Bytes is a number of bytes for people: "512 bytes", "5.99 MiB".
func Bytes(n int64) string {
	x, unit := float64(n), 0
	for x >= 1024 && unit < 4 {
		x, unit = x/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.2f %ciB", x, "KMGT"[unit-1])
}
