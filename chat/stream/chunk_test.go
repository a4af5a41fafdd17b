package stream_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
)

// hostile are texts that break careless encoders: of JSON, of server-sent events and of PostgreSQL's jsonb.
var hostile = []string{
	"", "plain", `"quoted" \ and \u0041`, "two\nlines\r\nand\ttab", "\u2028 and \u2029", "</script><!--", "NUL \x00 inside",
	"cut off \xff\xc3", "emoji 🎈 and é", "data: [DONE]\n\n", "\x1b[31m",
}

func TestChunksAreOneLineOfJSON(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		raw, err := json.Marshal(map[string]string{"text": stream.Clean(text)})
		require.NoError(t, err)
		for _, chunk := range []string{
			stream.Start(text, raw), stream.TextStart(text), stream.TextDelta("1", text), stream.TextEnd(text), stream.ReasoningStart(text),
			stream.ReasoningDelta("1", text), stream.ReasoningEnd(text), stream.ToolInputStart(text, text), stream.ToolInputDelta("1", text),
			stream.ToolInput(text, text, raw), stream.ToolInputError(text, text, raw, text), stream.ToolOutput(text, raw),
			stream.ToolOutputError(text, text), stream.Data("card", text, raw), stream.Notice("notice", raw), stream.Metadata(raw),
			stream.Abort(text), stream.Finish("stop", raw), stream.StartStep(), stream.FinishStep(), stream.ResetStep(),
		} {
			require.True(t, json.Valid([]byte(chunk)), chunk)
			require.NotContains(t, chunk, "\n", "a server-sent event ends at a line break")
			require.NotContains(t, chunk, `\u0000`, "PostgreSQL does not store it")
		}
	}
}

// A model writes the arguments of a tool call as it likes, over several lines for example.
func TestJSONOverSeveralLinesBecomesOneLine(t *testing.T) {
	t.Parallel()
	pretty := json.RawMessage("{\n  \"name\": \"two\\nlines\",\r\n\t\"tags\": [ 1, 2 ]\n}")
	chunk := stream.ToolInput("c1", "catalog.createSystem", pretty)
	require.NotContains(t, chunk, "\n")
	require.NotContains(t, chunk, "\r")
	var decoded struct {
		Input json.RawMessage `json:"input"`
	}
	require.NoError(t, json.Unmarshal([]byte(chunk), &decoded))
	require.JSONEq(t, string(pretty), string(decoded.Input))
}

func TestAChunkHasTheMembersOfTheProtocol(t *testing.T) {
	t.Parallel()
	for want, chunk := range map[string]string{
		`{"type":"start","messageId":"m1","messageMetadata":{"a":1}}`:                                             stream.Start("m1", json.RawMessage(`{"a":1}`)),
		`{"type":"text-delta","id":"t1","delta":"Hi"}`:                                                            stream.TextDelta("t1", "Hi"),
		`{"type":"tool-input-start","toolCallId":"c1","toolName":"ai.getDoc","dynamic":true}`:                     stream.ToolInputStart("c1", "ai.getDoc"),
		`{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{"}`:                                      stream.ToolInputDelta("c1", "{"),
		`{"type":"tool-input-available","toolCallId":"c1","toolName":"ai.getDoc","input":{"x":1},"dynamic":true}`: stream.ToolInput("c1", "ai.getDoc", json.RawMessage(`{"x":1}`)),
		`{"type":"tool-output-available","toolCallId":"c1","output":[1]}`:                                         stream.ToolOutput("c1", json.RawMessage(`[1]`)),
		`{"type":"tool-output-error","toolCallId":"c1","errorText":"No."}`:                                        stream.ToolOutputError("c1", "No."),
		`{"type":"tool-approval-request","approvalId":"p1","toolCallId":"c1"}`:                                    stream.ToolApprovalRequest("p1", "c1"),
		`{"type":"tool-output-denied","toolCallId":"c1"}`:                                                         stream.ToolOutputDenied("c1"),
		`{"type":"data-proposal","id":"p1","data":{}}`:                                                            stream.Data("proposal", "p1", json.RawMessage(`{}`)),
		`{"type":"data-notice","data":{},"transient":true}`:                                                       stream.Notice("notice", json.RawMessage(`{}`)),
		`{"type":"abort","reason":"stopped"}`:                                                                     stream.Abort("stopped"),
		`{"type":"finish","finishReason":"stop","messageMetadata":{}}`:                                            stream.Finish("stop", json.RawMessage(`{}`)),
	} {
		require.JSONEq(t, want, chunk)
	}
}

func TestOnlyFinishAndAbortEndAStream(t *testing.T) {
	t.Parallel()
	require.True(t, stream.Ends(stream.Finish("stop", json.RawMessage(`{}`))))
	require.True(t, stream.Ends(stream.Abort("stopped")))
	for _, chunk := range []string{stream.FinishStep(), stream.TextDelta("1", `{"type":"finish"}`), "", "no JSON"} {
		require.False(t, stream.Ends(chunk), chunk)
	}
}

func FuzzTextSurvivesAChunk(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		chunk := stream.TextDelta("t1", text)
		require.False(t, strings.ContainsAny(chunk, "\n\r\x00"), chunk)
		var decoded struct {
			Delta string `json:"delta"`
		}
		require.NoError(t, json.Unmarshal([]byte(chunk), &decoded))
		require.Equal(t, stream.Clean(text), decoded.Delta)
	})
}

func FuzzCleanTextCanBeStored(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := stream.Clean(text)
		require.NotContains(t, clean, "\x00")
		require.Equal(t, strings.ToValidUTF8(clean, "?"), clean)
		require.Equal(t, clean, stream.Clean(clean), "cleaning twice changes nothing more")
	})
}
