package stream_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
)

// reduce folds chunks between a start and a finish and returns the parts as JSON.
func reduce(t *testing.T, chunks ...string) string {
	t.Helper()
	m, err := stream.Reduce(
		slices.Concat([]string{stream.Start("m1", json.RawMessage(`{}`))}, chunks, []string{stream.Finish("stop", json.RawMessage(`{}`))}),
	)
	require.NoError(t, err)
	raw, err := json.Marshal(m.Parts)
	require.NoError(t, err)
	return string(raw)
}

func TestReduceFollowsTheRulesOfTheClient(t *testing.T) {
	t.Parallel()
	const call = `{"type":"dynamic-tool","toolName":"ai.getDoc","toolCallId":"c1"`
	for name, c := range map[string]struct {
		chunks []string
		parts  string
	}{
		"text is the sum of its deltas": {
			[]string{stream.StartStep(), stream.TextStart("a"), stream.TextDelta("a", "Hel"), stream.TextDelta("a", "lo"), stream.TextEnd("a"), stream.FinishStep()},
			`[{"type":"step-start"},{"type":"text","text":"Hello","state":"done"}]`,
		},
		"open parts may alternate": {
			[]string{stream.TextStart("a"), stream.TextStart("b"), stream.TextDelta("a", "1"), stream.TextDelta("b", "2"), stream.TextEnd("b"), stream.TextEnd("a")},
			`[{"type":"text","text":"1","state":"done"},{"type":"text","text":"2","state":"done"}]`,
		},
		"reasoning is a part of its own": {
			[]string{stream.ReasoningStart("r"), stream.ReasoningDelta("r", "Hm."), stream.ReasoningEnd("r")},
			`[{"type":"reasoning","id":"r","text":"Hm.","state":"done"}]`,
		},
		"a tool call gets its input, then its output": {
			[]string{stream.ToolInputStart("c1", "ai.getDoc"), stream.ToolInputDelta("c1", "{}"), stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{"x":1}`)), stream.ToolOutput("c1", json.RawMessage(`{"y":2}`))},
			`[` + call + `,"state":"output-available","input":{"x":1},"output":{"y":2}}]`,
		},
		"or an error": {
			[]string{stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{}`)), stream.ToolOutputError("c1", "No.")},
			`[` + call + `,"state":"output-error","input":{},"errorText":"No."}]`,
		},
		"or a request for a decision": {
			[]string{stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{}`)), stream.ToolApprovalRequest("p1", "c1")},
			`[` + call + `,"state":"approval-requested","input":{},"approval":{"id":"p1"}}]`,
		},
		"which may be declined": {
			[]string{stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{}`)), stream.ToolApprovalRequest("p1", "c1"), stream.ToolOutputDenied("c1")},
			`[` + call + `,"state":"output-denied","input":{},"approval":{"id":"p1"}}]`,
		},
		"an id of an earlier step names another call": {
			[]string{
				stream.StartStep(), stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`1`)), stream.ToolOutput("c1", json.RawMessage(`1`)), stream.FinishStep(),
				stream.StartStep(), stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`2`)), stream.ToolOutput("c1", json.RawMessage(`2`)), stream.FinishStep(),
			},
			`[{"type":"step-start"},` + call + `,"state":"output-available","input":1,"output":1},` +
				`{"type":"step-start"},` + call + `,"state":"output-available","input":2,"output":2}]`,
		},
		"reset-step drops the parts of this step alone": {
			[]string{
				stream.StartStep(), stream.TextStart("a"), stream.TextDelta("a", "kept"), stream.TextEnd("a"), stream.FinishStep(),
				stream.StartStep(), stream.TextStart("b"), stream.TextDelta("b", "lost"), stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{}`)), stream.ResetStep(),
				stream.TextStart("b"), stream.TextDelta("b", "again"), stream.TextEnd("b"),
			},
			`[{"type":"step-start"},{"type":"text","text":"kept","state":"done"},{"type":"step-start"},{"type":"text","text":"again","state":"done"}]`,
		},
		"data with the same id is replaced where it stands": {
			[]string{stream.Data("proposal", "p", json.RawMessage(`1`)), stream.Data("proposal", "q", json.RawMessage(`2`)), stream.Data("proposal", "p", json.RawMessage(`3`))},
			`[{"type":"data-proposal","id":"p","data":3},{"type":"data-proposal","id":"q","data":2}]`,
		},
		"a call that runs says since when, one that is over how long it took": {
			[]string{
				stream.Timed(stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{}`)), stream.Timing{AskedAt: asked}),
				stream.Timed(stream.ToolInput("c2", "ai.getDoc", json.RawMessage(`{}`)), stream.Timing{AskedAt: asked}),
				stream.Timed(stream.ToolInput("c3", "ai.getDoc", json.RawMessage(`{}`)), stream.Timing{AskedAt: asked}),
				stream.Timed(stream.ToolOutput("c1", json.RawMessage(`1`)), stream.Timing{StartedAt: asked.Add(time.Second), TookMS: new(int64(0))}),
				stream.ToolOutputError("c2", "No."),
			},
			`[{"type":"dynamic-tool","toolName":"ai.getDoc","toolCallId":"c1","state":"output-available","input":{},"output":1,"toolMetadata":{"startedAt":"2026-03-04T05:06:08.009Z","tookMs":0}},
			  {"type":"dynamic-tool","toolName":"ai.getDoc","toolCallId":"c2","state":"output-error","input":{},"errorText":"No.","toolMetadata":{"askedAt":"2026-03-04T05:06:07.009Z"}},
			  {"type":"dynamic-tool","toolName":"ai.getDoc","toolCallId":"c3","state":"input-available","input":{},"toolMetadata":{"askedAt":"2026-03-04T05:06:07.009Z"}}]`,
		},
		"a notice leaves nothing": {[]string{stream.Notice("notice", json.RawMessage(`{}`))}, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.JSONEq(t, c.parts, reduce(t, c.chunks...))
		})
	}
}

func TestReduceMergesMetadataDeeply(t *testing.T) {
	t.Parallel()
	m, err := stream.Reduce([]string{
		stream.Start("m1", json.RawMessage(`{"status":"running","usage":{"in":1},"list":[1]}`)),
		stream.Metadata(json.RawMessage(`{"usage":{"out":2}}`)),
		stream.Finish("stop", json.RawMessage(`{"status":"done","list":[2]}`)),
	})
	require.NoError(t, err)
	require.Equal(t, "m1", m.ID)
	require.JSONEq(t, `{"status":"done","usage":{"in":1,"out":2},"list":[2]}`, string(m.Metadata))
}

func TestReduceRefusesWhatTheClientWouldRefuse(t *testing.T) {
	t.Parallel()
	for name, chunks := range map[string][]string{
		"a delta without its start":    {stream.TextDelta("a", "x")},
		"a delta after the end":        {stream.TextStart("a"), stream.TextEnd("a"), stream.TextDelta("a", "x")},
		"a delta of a dropped part":    {stream.StartStep(), stream.TextStart("a"), stream.ResetStep(), stream.TextDelta("a", "x")},
		"an end without a start":       {stream.ReasoningEnd("a")},
		"a result of an unknown call":  {stream.ToolOutput("c1", json.RawMessage(`{}`))},
		"a failure of an unknown call": {stream.ToolOutputError("c1", "No.")},
		"an unknown type":              {`{"type":"surprise"}`},
		"no JSON":                      {`data:`},
		"metadata that is no object":   {stream.Metadata(json.RawMessage(`[1]`))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := stream.Reduce(chunks)
			require.Error(t, err)
		})
	}
}

var asked = stream.Moment(time.Date(2026, 3, 4, 6, 6, 7, 9_876_543, time.FixedZone("CET", 3600)))

// program turns bytes into a well-formed stream of a finished turn: steps with text, reasoning, tool calls and cards.
func program(script []byte) []string {
	chunks := []string{stream.Start("m1", json.RawMessage(`{"status":"running"}`)), stream.StartStep()}
	for i, b := range script {
		id := fmt.Sprintf("p%d", i)
		text := fmt.Sprintf("%c%d", rune(b)<<3, i)
		data, _ := json.Marshal(text)
		switch b % 8 {
		case 0:
			chunks = append(chunks, stream.FinishStep(), stream.StartStep())
		case 1:
			chunks = append(chunks, stream.TextStart(id), stream.TextDelta(id, text), stream.TextDelta(id, text), stream.TextEnd(id))
		case 2:
			chunks = append(chunks, stream.ReasoningStart(id), stream.ReasoningDelta(id, text), stream.ReasoningEnd(id))
		case 3:
			timing := stream.Timing{StartedAt: asked, TookMS: new(int64(b))}
			chunks = append(
				chunks,
				stream.Timed(stream.ToolInput(id, "ai.getDoc", data), stream.Timing{AskedAt: asked}),
				stream.Timed(stream.ToolOutput(id, data), timing),
			)
		case 4:
			chunks = append(chunks, stream.ToolInput(id, "ai.getDoc", data), stream.ToolOutputError(id, text))
		case 5:
			begun := []string{stream.ToolInput(id, "catalog.createSystem", data), stream.ToolApprovalRequest("approval "+id, id)}
			ends := [][]string{nil, {stream.ToolOutput(id, data)}, {stream.ToolOutputError(id, text)}, {stream.ToolOutputDenied(id)}}
			chunks = append(append(append(chunks, stream.Data("proposal", id, data)), begun...), ends[int(b)%len(ends)]...)
		case 6:
			chunks = append(chunks, stream.TextStart(id), stream.TextDelta(id, text), stream.ResetStep())
		case 7:
			chunks = append(chunks, stream.Metadata(json.RawMessage(`{"n":`+fmt.Sprint(i)+`}`)))
		}
	}
	return append(chunks, stream.FinishStep(), stream.Finish("stop", json.RawMessage(`{"status":"done"}`)))
}

// A finished message is streamed again from what is stored; a client must end up with the same message.
func FuzzAStoredMessageStreamsBackToItself(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 0, 1})
	f.Add([]byte{9, 9, 16, 6, 22, 3, 11, 0, 0, 31})
	f.Fuzz(func(t *testing.T, script []byte) {
		m, err := stream.Reduce(program(script))
		require.NoError(t, err)
		raw, err := json.Marshal(m)
		require.NoError(t, err)
		var stored stream.Message
		require.NoError(t, json.Unmarshal(raw, &stored))

		again, err := stream.Reduce(stored.Chunks())
		require.NoError(t, err)
		rawAgain, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(raw), string(rawAgain))
	})
}

func FuzzReduceTakesAnything(f *testing.F) {
	f.Add(`{"type":"start","messageId":"m"}`, `{"type":"tool-output-available","toolCallId":"c"}`)
	f.Add(`{"type":"text-start","id":"a"}`, `{"type":"reset-step"}`)
	f.Add(`{"type":"message-metadata","messageMetadata":{"a":{"b":1}}}`, `{"type":"finish","messageMetadata":{"a":2}}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		m, err := stream.Reduce([]string{first, second, first})
		if err == nil {
			_, err = json.Marshal(m)
			require.NoError(t, err)
		}
	})
}
