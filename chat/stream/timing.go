package stream

import (
	"encoding/json"
	"strings"
	"time"
)

// Timing is when a tool call was asked for, began, and how long it took: the "toolMetadata" of its part, by the clock of the process that
// runs the turn. A call that runs has AskedAt alone, one that is over StartedAt and TookMS, one that was never run neither.
type Timing struct {
	AskedAt   time.Time `json:"askedAt,omitzero" doc:"When the model had asked for the call; left out once it is over"`
	StartedAt time.Time `json:"startedAt,omitzero" doc:"When the call began; left out until it is over"`
	TookMS    *int64    `json:"tookMs,omitempty" doc:"How long it took, its repeats included"`
}

// Moment is a time as timings have it: in UTC, in whole milliseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Timed is a chunk of a tool call with its timing. It must be one that carries a tool's input, output or error: in others clients do not
// look for one.
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
