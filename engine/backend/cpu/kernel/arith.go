package kernel

import "fmt"

// sameLength panics unless all rows of an operation have the length of the first.
func sameLength(op string, n int, others ...int) {
	for _, o := range others {
		if o != n {
			panic(fmt.Sprintf("kernel: %s: rows of %d and %d elements", op, n, o))
		}
	}
}

// Add computes dst[i] = a[i] + b[i].
func Add(dst, a, b []float32) {
	sameLength("Add", len(dst), len(a), len(b))
	current.add(dst, a, b)
}

// Mul computes dst[i] = a[i] * b[i].
func Mul(dst, a, b []float32) {
	sameLength("Mul", len(dst), len(a), len(b))
	current.mul(dst, a, b)
}

// AddMul computes dst[i] += a[i] * b[i], with one rounding or two.
func AddMul(dst, a, b []float32) {
	sameLength("AddMul", len(dst), len(a), len(b))
	current.addMul(dst, a, b)
}

// Scale computes dst[i] = x[i] * s.
func Scale(dst, x []float32, s float32) {
	sameLength("Scale", len(dst), len(x))
	current.scale(dst, x, s)
}

// AddScaledRow computes dst[i] += s * x[i], with one rounding or two.
func AddScaledRow(dst, x []float32, s float32) {
	sameLength("AddScaledRow", len(dst), len(x))
	current.addScaled(dst, x, s)
}

func addGeneric(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func mulGeneric(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func addMulGeneric(dst, a, b []float32) {
	for i := range dst {
		dst[i] += a[i] * b[i]
	}
}

func scaleGeneric(dst, x []float32, s float32) {
	for i := range dst {
		dst[i] = x[i] * s
	}
}

func addScaledGeneric(dst, x []float32, s float32) {
	for i := range dst {
		dst[i] += s * x[i]
	}
}

// mulScaledGeneric computes dst[i] = (x[i] * s) * w[i].
func mulScaledGeneric(dst, x, w []float32, s float32) {
	for i := range dst {
		dst[i] = float32(x[i]*s) * w[i]
	}
}

// Clamp computes dst[i] = min(max(x[i], -limit), limit); NaN stays.
func Clamp(dst, x []float32, limit float32) {
	sameLength("Clamp", len(dst), len(x))
	for i, v := range x {
		dst[i] = min(max(v, -limit), limit)
	}
}
