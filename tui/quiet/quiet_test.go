package quiet

import (
	"os"
	"testing"
)

func TestDone(t *testing.T) {
	if !added {
		t.Skip("CI is set here")
	}
	if os.Getenv(variable) != "1" {
		t.Errorf("%s is not set while packages are initialised", variable)
	}
	Done()
	if value, found := os.LookupEnv(variable); found {
		t.Errorf("%s = %q is left", variable, value)
	}
}
