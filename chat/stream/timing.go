package stream

import (
	"encoding/json"
	"strings"
	"time"
)

// Timing is the request time, start and duration of a tool call: the "toolMetadata" of its part, by the clock of the
// process that runs the turn. A running call has only AskedAt, a finished one StartedAt and TookMS, a skipped one
// neither.
type Timing struct {
	AskedAt   time.Time `json:"askedAt,omitzero" doc:"When the model had asked for the call; left out once it is over"`
	StartedAt time.Time `json:"startedAt,omitzero" doc:"When the call began; left out until it is over"`
	TookMS    *int64    `json:"tookMs,omitempty" doc:"How long it took, its repeats included"`
}

// Moment is a time in the form of timings: in UTC, in whole milliseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Timed adds a timing to a chunk of a tool call with an input, output or error, the only chunks in which clients read
// one.
func Timed(chunk string, t Timing) string {
	if t == (Timing{}) {
		return chunk
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return chunk
	}
	return strings.TrimSuffix(chunk, "}") + `,"toolMetadata":` + string(raw) + "}"
}
