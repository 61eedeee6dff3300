package main

import (
	"slices"
	"testing"
)

func TestCases(t *testing.T) {
	all, err := parse(cases)
	if err != nil || len(all) < 120 {
		t.Fatalf("%d requests, %v", len(all), err)
	}
	for _, r := range all {
		if len(r.differs) > 0 && r.why == "" || !slices.IsSorted(r.differs) {
			t.Errorf("%s %s: differences %v, reason %q", r.method, r.path, r.differs, r.why)
		}
	}
	if got := expand(`"{{3*ab}}"`); got != `"ababab"` {
		t.Errorf("expand: %s", got)
	}
}

func TestDifferences(t *testing.T) {
	answer := func(body string) facts { return extract(200, "application/json", []byte(body)) }
	theirs := answer(`{"content":"x","stop_type":"eos","timings":{"a":1},"tokens_predicted":3}`)
	for body, want := range map[string][]string{
		`{"content":"x","stop_type":"eos","timings":{"a":2},"tokens_predicted":3,"more":1}`: nil,
		`{"content":"y","stop_type":"eos","timings":{"a":2},"tokens_predicted":3}`:          {"text"},
		`{"content":"x","stop_type":"limit","timings":{},"tokens_predicted":4}`:             {"counts", "fields", "finish"},
	} {
		if got := aspects(answer(body).differences(theirs)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	stream := extract(200, "text/event-stream", []byte("event: a\ndata: {\"delta\":\"x\"}\n\n: ping\n\nevent: a\ndata: {\"delta\":\"y\"}\n\ndata: [DONE]\n\n"))
	if stream.text["delta"] != "xy" || len(stream.events) != 1 {
		t.Errorf("a stream: %+v", stream)
	}
}
