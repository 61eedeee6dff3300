// Package status says how a server stands: what GET /status answers, and what a dashboard shows.
package status

// Server is how a server stands at a moment.
type Server struct {
	Model   string   `json:"model"`
	Context int      `json:"context"` // tokens that a slot can hold
	Slots   []Slot   `json:"slots"`
	Waiting int      `json:"waiting"` // requests in the queue
	Pages   Pages    `json:"pages"`
	Devices []Device `json:"devices,omitempty"`
	Counts  Counts   `json:"counts"`
}

// Slot is one place for a request.
type Slot struct {
	ID      int    `json:"id"`
	Task    int    `json:"task"`   // number of the request that has it, or had it last; not positive: none so far
	Busy    bool   `json:"busy"`   // a request has it now
	Prompt  int    `json:"prompt"` // tokens of the prompt
	Done    int    `json:"done"`   // of these, computed or taken from the cache
	Cached  int    `json:"cached"` // of these, taken from the cache
	Answer  int    `json:"answer"` // tokens generated
	Left    int    `json:"left"`   // tokens that may follow; negative: no limit
	Stopped string `json:"stopped,omitempty"`
	Who     string `json:"who,omitempty"` // asked
}

// Pages are the pages of the key-value cache; Total is 0 where the server does not tell.
type Pages struct {
	Total  int    `json:"total"`
	Used   int    `json:"used"`
	Shared int    `json:"shared"` // of those in use, by several sequences
	Cached int    `json:"cached"`
	Map    string `json:"map,omitempty"` // a letter a page: . nothing, c cached, u in use, s shared
}

// Device computes some of the layers, and holds what they need. Sizes are bytes.
type Device struct {
	Name    string `json:"name"`
	Layers  int    `json:"layers"`
	Weights int64  `json:"weights"`
	Cache   int64  `json:"cache"` // keys, values and recurrent states
	Compute int64  `json:"compute"`
}

// Counts grow as long as the server runs.
type Counts struct {
	Prompt    float64 `json:"prompt"` // tokens
	Cached    float64 `json:"cached"`
	Generated float64 `json:"generated"`
}
