package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// freeMemory is the memory that the system can give this process without swapping, in bytes; 0 where it does not say. What
// files take in memory counts as free: the weights of a model are among them.
func freeMemory() int64 {
	free := int64(0)
	if kib, ok := lookUp("/proc/meminfo", "MemAvailable:"); ok {
		free = kib << 10
	}
	membership, _ := os.ReadFile("/proc/self/cgroup")
	if rest, limited := cgroupFree("/sys/fs/cgroup", string(membership)); limited && (free == 0 || rest < free) {
		return max(rest, 1)
	}
	return free
}

// cgroupFree is what the control groups that a process is in leave it: containers and services have a limit of their own.
// A group shares the limits of those above it (https://docs.kernel.org/admin-guide/cgroup-v2.html).
func cgroupFree(root, membership string) (free int64, limited bool) {
	for line := range strings.Lines(membership) {
		path, unified := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for dir := path; unified; dir = filepath.Dir(dir) {
			if rest, ok := groupFree(filepath.Join(root, dir)); ok && (!limited || rest < free) {
				free, limited = rest, true
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return free, limited
}

// groupFree is the limit of one group less what it holds, file pages aside.
func groupFree(dir string) (int64, bool) {
	limit, err := readNumber(filepath.Join(dir, "memory.max"))
	if err != nil { // "max", or the root, which has no file
		return 0, false
	}
	held, err := readNumber(filepath.Join(dir, "memory.current"))
	if err != nil {
		return 0, false
	}
	stat := filepath.Join(dir, "memory.stat")
	active, _ := lookUp(stat, "active_file")
	inactive, _ := lookUp(stat, "inactive_file")
	return max(0, limit-held+active+inactive), true
}

func readNumber(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}

// lookUp finds the number behind a name at the beginning of a line.
func lookUp(path, name string) (n int64, ok bool) {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if rest, found := strings.CutPrefix(line, name+" "); found {
			_, err := fmt.Sscan(rest, &n)
			return n, err == nil
		}
	}
	return 0, false
}
