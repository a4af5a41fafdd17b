// Package demo is a language model without a model: an OpenAI-compatible server
// that plays scenes. It lets a new user try the whole product without a
// key, and gives tests, chaos runs and benchmarks a provider whose behaviour
// they choose.
//
// There are two models. [Assistant] plays the scenes in scenes/: [Plan] is a
// pure function that finds the scene of what the person asks for, calls the
// tools that it names and the request offers, and fills its answer with their
// real results. To everything else it answers what it can show. Nothing in it
// knows an id or a name of the data it talks about. [Scripted] does what the
// directives in the last user message say: so many rounds of these tools, this
// text at this pace, that fault in the second round. [ParseScript] documents
// the directives.
//
// The server streams, reports usage and sends tool calls as providers do;
// faults are as on real wires: a 429 has a Retry-After header, a cut stream
// ends without an end marker, a stalled one is silent until the client leaves.
package demo

import "time"

// Label is the product's name for these models wherever a person may choose them.
const Label = "Demo model (scripted, no AI)"

// Ids of the models.
const (
	Assistant = "countersign-demo"
	Scripted  = "countersign-demo-script"
)

// Options configure a server. The zero value answers at once and admits everyone.
type Options struct {
	// Key is the bearer token that requests must carry; empty admits all.
	Key string
	// FirstToken is the time until the first token, PerToken that between
	// tokens.
	FirstToken time.Duration
	PerToken   time.Duration
	// ChunkTokens is how many tokens are sent at a time, one by default.
	ChunkTokens int
	// Scripts admits [Scripted], which follows any directive, including one that never ends. For tests only.
	Scripts bool
	// Clock replaces time.Now.
	Clock func() time.Time
}

func (o Options) withDefaults() Options {
	if o.ChunkTokens < 1 {
		o.ChunkTokens = 1
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}
