// Package quiet keeps terminal libraries from asking the terminal for its colours when a program starts.
//
// Merely to be linked with bubbletea makes a program write a query to its terminal before main, and wait up to five
// seconds for the answer: in `script`, on a serial line, under a test harness nobody answers, and what the user typed
// ahead is lost. The query is left out where the variable CI is set. So this package sets it while packages are
// initialised, and whoever imports bubbletea calls Done in its own init to take it back.
//
// Go initialises packages in the order of their import paths as far as dependencies allow. This one depends on the
// standard library only, and bubbletea on packages that sort after it (github.com/muesli/termenv), so it comes first.
// Nothing here asks for colours of the background: package theme has styles for both kinds.
package quiet

import "os"

const variable = "CI"

var added bool

func init() {
	if _, found := os.LookupEnv(variable); !found {
		added = os.Setenv(variable, "1") == nil
	}
}

// Done restores the environment.
func Done() {
	if added {
		os.Unsetenv(variable)
		added = false
	}
}
