package kernel

import (
	"fmt"
	"os"
	"strings"
)

// Tier is a set of kernel bodies for one level of the instruction set. Higher tiers are faster.
type Tier int

const (
	Generic Tier = iota // portable Go, on every machine
	AVX2                // amd64 with AVX2, FMA and F16C
	AVX512              // amd64 with AVX-512 F, BW, DQ, VL, VBMI and VNNI; BF16 is used where it is there

	tierCount
)

// tierEnv names the environment variable that picks a tier at start.
const tierEnv = "LLAMA_CPU"

var tierNames = [tierCount]string{"generic", "avx2", "avx512"}

// String returns the tier's name as LLAMA_CPU spells it.
func (t Tier) String() string {
	if t < 0 || t >= tierCount {
		return fmt.Sprintf("Tier(%d)", int(t))
	}
	return tierNames[t]
}

// ParseTier reads a name as String writes it, in any case.
func ParseTier(name string) (Tier, error) {
	for t, s := range tierNames {
		if strings.EqualFold(s, name) {
			return Tier(t), nil
		}
	}
	return Generic, fmt.Errorf("cpu tier %q: unknown, use one of %s", name, strings.Join(tierNames[:], ", "))
}

// Available reports whether this machine and build can run the tier.
func (t Tier) Available() bool { return t >= 0 && t < tierCount && tiers[t] != nil }

var (
	active  Tier // the tier that runs; changed only by init and Use
	envErr  error
	current *ops // tiers[active]
)

func init() {
	active, envErr = chooseTier(os.Getenv(tierEnv))
	current = tiers[active]
}

// chooseTier returns the tier that the variable's value asks for, and the best available one when it asks for
// none. A value that cannot be obeyed is an error beside the best tier.
func chooseTier(value string) (Tier, error) {
	best := tierCount - 1
	for !best.Available() {
		best--
	}
	if value == "" {
		return best, nil
	}
	t, err := ParseTier(value)
	if err != nil {
		return best, fmt.Errorf("%s: %w", tierEnv, err)
	}
	if !t.Available() {
		return best, fmt.Errorf("%s: %s is not available on this machine; it has up to %s", tierEnv, t, best)
	}
	return t, nil
}

// Active returns the tier that runs.
func Active() Tier { return active }

// EnvError tells what was wrong with LLAMA_CPU at start, or nil. The best tier is active then, and no program is compiled.
func EnvError() error { return envErr }

// Use switches to a tier and returns the way back. It reports false, and changes nothing, when the tier is not
// available. It is meant for tests and benchmarks: no kernel may run meanwhile.
func Use(t Tier) (restore func(), ok bool) {
	if !t.Available() {
		return func() {}, false
	}
	before := active
	active, current = t, tiers[t]
	return func() { active, current = before, tiers[before] }, true
}
