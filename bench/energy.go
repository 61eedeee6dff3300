package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// EnergyColumns are the further columns of a result when energy is measured: joules of a repetition on the average, and tokens for
// one joule.
var EnergyColumns = []string{"avg_joules", "tokens_per_joule"}

// ErrNoEnergy says that the processor's energy counters cannot be read.
var ErrNoEnergy = errors.New("no energy counter can be read here (Linux keeps them in /sys/class/powercap, mostly for root)")

// raplFolder has a folder for each domain of the processor (https://docs.kernel.org/power/powercap/powercap.html).
const raplFolder = "/sys/class/powercap"

// counter is the state of one package's energy counter, in microjoules. It begins anew after wrap.
type counter struct{ value, wrap uint64 }

// readCounters reads the packages, not the parts that they consist of: intel-rapl:0, not intel-rapl:0:1.
func readCounters(root string) (list []counter) {
	folders, _ := filepath.Glob(filepath.Join(root, "intel-rapl:*"))
	for _, folder := range folders {
		if strings.Count(filepath.Base(folder), ":") != 1 {
			continue
		}
		value, err := readCount(filepath.Join(folder, "energy_uj"))
		if err != nil {
			continue
		}
		wrap, _ := readCount(filepath.Join(folder, "max_energy_range_uj"))
		list = append(list, counter{value, wrap})
	}
	return list
}

func readCount(path string) (uint64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
}

// energy adds up what the repetitions of a row took.
type energy struct {
	joules []float64
}

func (r *row) readEnergy() []counter {
	if !r.options.Energy {
		return nil
	}
	return readCounters(raplFolder)
}

func (e *energy) add(before, after []counter) {
	if len(before) > 0 && len(before) == len(after) {
		e.joules = append(e.joules, joules(before, after))
	}
}

func joules(before, after []counter) (sum float64) {
	for i, a := range after {
		used := a.value - before[i].value
		if a.value < before[i].value {
			used += a.wrap
		}
		sum += float64(used) / 1e6
	}
	return sum
}

func (e *energy) columns(r *Result) []Value {
	if len(e.joules) == 0 {
		return nil
	}
	average := mean(e.joules)
	return []Value{{"avg_joules", average}, {"tokens_per_joule", float64(r.tokens()) / max(average, 1e-9)}}
}
