package debug

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"

	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/session"
)

// The elements of JUnit's format that servers for continuous integration read.
type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes results, a test case each.
func writeJUnit(path string, outcomes []outcome) error {
	suite := junitSuite{Name: "llama debug", Tests: len(outcomes)}
	for _, r := range outcomes {
		c := junitCase{Name: printable.Line(r.Test), Class: "llama.debug"}
		summary := fmt.Sprintf("%d of %d passed (95%%: %.0f%% to %.0f%%), %d needed", r.Passed, r.Runs, 100*r.Interval[0], 100*r.Interval[1], r.Need)
		out := []string{summary}
		for _, n := range r.Narrow {
			out = append(out, printable.Line(narrowText(n)))
		}
		c.Out = strings.Join(out, "\n")
		if !r.OK {
			suite.Failures++
			c.Failure = &junitFailure{Message: summary}
			for _, f := range r.Failures {
				c.Failure.Text += printable.Line(failureText(f)) + "\n"
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	data, err := xml.MarshalIndent(junitSuites{Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Suite: suite}, "", " ")
	if err != nil {
		return err
	}
	if err := session.WriteFile(path, append([]byte(xml.Header), append(data, '\n')...)); err != nil {
		return err
	}
	return os.Chmod(path, 0o644) // a CI server reads it as somebody else
}
