package model_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// lines joins payloads without the framing of events.
func lines(payloads ...string) string { return strings.Join(payloads, "\n") + "\n" }

// Gateways encode events once more, leave their framing out, or put several into one.
func TestFramingOfGateways(t *testing.T) {
	t.Parallel()
	hel, lo := delta(`"content":"Hel"`), delta(`"content":"lo"`)
	whole := `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
	var pretty strings.Builder
	for _, payload := range []string{hel, lo, finish("stop")} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(payload), &value))
		indented, err := json.MarshalIndent(value, "", "  ")
		require.NoError(t, err)
		pretty.WriteString(string(indented) + "\n")
	}
	end := events(finish("stop"), done)
	for name, text := range map[string]string{
		"events as strings":              events(strconv.Quote(hel), strconv.Quote(lo), strconv.Quote(finish("stop")), strconv.Quote(done)),
		"one event as a string":          events(hel, strconv.Quote(lo)) + end,
		"events as strings, lines":       lines(strconv.Quote(hel), strconv.Quote(lo), strconv.Quote(finish("stop"))),
		"an answer as a string":          strconv.Quote(whole),
		"lines of JSON":                  lines(hel, lo, finish("stop")),
		"lines of JSON, no reason":       lines(hel, lo, done),
		"lines of JSON and the mark":     lines(hel, lo, finish("stop"), done),
		"lines of JSON and its event":    lines(hel, lo, finish("stop")) + "\ndata: [DONE]\n\n",
		"lines of JSON, empty lines":     strings.Join([]string{hel, lo, finish("stop")}, "\n\n"),
		"lines of JSON, both line ends":  strings.Join([]string{hel, lo, finish("stop"), done}, "\r\n"),
		"JSON in a row":                  hel + lo + finish("stop"),
		"JSON of several lines":          pretty.String(),
		"a byte order mark, JSON":        "\uFEFF" + lines(hel, lo, finish("stop")),
		"a list of events":               "[" + hel + "," + lo + "," + finish("stop") + "]",
		"a list of events, lines":        "[" + hel + "\n,\n" + lo + "\n,\n" + finish("stop") + "\n]",
		"some without data":              "data: " + hel + "\n\n" + lo + "\n\n" + end,
		"the first without data":         hel + "\n\n" + events(lo) + end,
		"a document, then its end":       whole + "\n\ndata: [DONE]\n\n",
		"two in one line":                "data: " + hel + lo + "\n\n" + end,
		"two in one line, a blank":       "data: " + hel + " " + lo + "\n\n" + end,
		"two in one line, a comma":       "data: " + hel + "," + lo + "\n\n" + end,
		"all in one line":                "data: " + hel + lo + finish("stop") + "[DONE]\n\n",
		"a list in one line":             "data: [" + hel + "," + lo + "]\n\n" + end,
		"a line end lost":                "data: " + hel + "data: " + lo + "\n\n" + end,
		"line ends lost":                 strings.ReplaceAll(events(hel, lo, finish("stop"), done), "\n", ""),
		"a comma behind each":            strings.ReplaceAll(events(hel, lo), "}\n", "},\n") + end,
		"a byte order mark in each":      strings.ReplaceAll(events(hel, lo)+end, "data:", "\uFEFFdata:"),
		"a byte order mark in each data": strings.ReplaceAll(events(hel, lo)+end, "data: ", "data: \uFEFF"),
		"the mark with a semicolon":      events(hel, lo, finish("stop")) + "data: [DONE];\n\n",
		"the mark in JSON":               events(hel, lo) + `data: ["DONE"]` + "\n\n",
		"the mark as an object":          events(hel, lo) + `data: {"done":true}` + "\n\n",
		"the mark as an event":           events(hel, lo) + "event: done\ndata: {}\n\n",
		"the mark as an event, no data":  events(hel, lo) + "event: done\n\n",
		"the mark DONE, no reason":       events(hel, lo) + "data: DONE\n\n",
		"the mark without data":          events(hel, lo) + "[DONE]\n\n",
		"the mark, no line end":          events(hel, lo) + "data: [DONE]",
		"the mark with blanks":           events(hel, lo) + "data:   [DONE]   \n\n",
		"blanks before data":             strings.ReplaceAll(events(hel, lo)+end, "data:", " data:"),
		"returns only":                   strings.ReplaceAll(events(hel, lo)+end, "\n", "\r"),
		"a comment, then returns":        ": hello\r\r" + strings.ReplaceAll(events(hel, lo)+end, "\n", "\r"),
		"a heartbeat between":            events(hel) + "event: heartbeat\ndata: {\"ts\":1}\n\n" + events(lo) + end,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, deltas, err := stream(t, text)
			require.NoError(t, err)
			require.Equal(t, "Hello", response.Text)
			require.Equal(t, model.FinishStop, response.FinishReason)
			var said strings.Builder
			for _, d := range deltas {
				said.WriteString(d.Text)
			}
			require.Equal(t, "Hello", said.String())
			if !strings.Contains(name, "mark") || strings.Contains(text, "finish_reason\":\"stop") {
				completed, err := answering(t, body(200, "text/event-stream", text)).Complete(t.Context(), hello)
				require.NoError(t, err, "whatever was asked for")
				require.Equal(t, "Hello", completed.Text)
			}
		})
	}
}

// A character whose bytes are in two events is one.
func TestBytesOfACharacterSplitOverEvents(t *testing.T) {
	t.Parallel()
	const said = "支付系统 is 👍 – fine"
	for at := range len(said) {
		first, second := said[:at], said[at:]
		response, _, err := stream(t, events(delta(`"content":"`+first+`"`), delta(`"content":"`+second+`"`), finish("stop"), done))
		require.NoError(t, err)
		require.Equal(t, said, response.Text, at)
	}
	response, _, err := stream(t, events(delta(`"content":"a`+"\xe6"+`"`), delta(`"content":"b"`), finish("stop"), done))
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb", response.Text)
}

// An error in the middle of an answer is one in every shape, with the words of the provider where it has them.
func TestErrorsInTheMiddleOfManyShapes(t *testing.T) {
	t.Parallel()
	partial := events(delta(`"content":"Hel"`))
	const says = "rate limit exceeded"
	for name, text := range map[string]string{
		"a string":                  partial + events(`{"error":"rate limit exceeded"}`),
		"an object":                 partial + events(`{"error":{"message":"rate limit exceeded"}}`),
		"a detail":                  partial + events(`{"detail":"rate limit exceeded"}`),
		"a detail with an error":    partial + events(`{"detail":{"error":"rate limit exceeded"}}`),
		"a detail with a message":   partial + events(`{"detail":{"message":"rate limit exceeded"}}`),
		"a list of details":         partial + events(`{"detail":[{"msg":"rate limit exceeded","type":"x"}]}`),
		"an event":                  partial + "event: error\ndata: {\"message\":\"rate limit exceeded\"}\n\n",
		"an event, string":          partial + "event: error\ndata: \"rate limit exceeded\"\n\n",
		"an event, object":          partial + "event: error\ndata: {\"error\":{\"message\":\"rate limit exceeded\"}}\n\n",
		"an event behind its data":  partial + "data: {\"message\":\"rate limit exceeded\"}\nevent: error\n\n",
		"a type":                    partial + events(`{"type":"error","error":{"type":"rate_limit_error","message":"rate limit exceeded"}}`),
		"a type with a message":     partial + events(`{"type":"error","message":"rate limit exceeded"}`),
		"a status":                  partial + events(`{"status":"error","message":"rate limit exceeded"}`),
		"a failure":                 partial + events(`{"success":false,"message":"rate limit exceeded"}`),
		"an error that is true":     partial + events(`{"error":true,"message":"rate limit exceeded"}`),
		"an error with code":        partial + events(`{"error":429,"message":"rate limit exceeded"}`),
		"error_msg":                 partial + events(`{"error_code":18,"error_msg":"rate limit exceeded"}`),
		"error_message":             partial + events(`{"error_message":"rate limit exceeded"}`),
		"errorMessage":              partial + events(`{"errorMessage":"rate limit exceeded"}`),
		"a message in capitals":     partial + events(`{"Message":"rate limit exceeded","Code":"Throttled"}`),
		"an error in capitals":      partial + events(`{"Error":{"Message":"rate limit exceeded"}}`),
		"an event in JSON":          partial + events(`{"event":"error","data":{"message":"rate limit exceeded"}}`),
		"an event in JSON, text":    partial + events(`{"event":"error","data":"rate limit exceeded"}`),
		"errors":                    partial + events(`{"errors":[{"message":"rate limit exceeded"}]}`),
		"errors, strings":           partial + events(`{"errors":["rate limit exceeded"]}`),
		"encoded once more":         partial + events(strconv.Quote(`{"error":{"message":"rate limit exceeded"}}`)),
		"encoded in the error":      partial + events(`{"error":"{\"error\":{\"message\":\"rate limit exceeded\"}}"}`),
		"encoded in the message":    partial + events(`{"error":{"message":"{\"error\":{\"message\":\"rate limit exceeded\"}}"}}`),
		"without data":              partial + `{"error":{"message":"rate limit exceeded"}}` + "\n\n",
		"without data, a string":    partial + `{"error":"rate limit exceeded"}`,
		"beside empty choices":      partial + events(`{"id":"x","choices":[],"error":{"message":"rate limit exceeded"}}`),
		"beside a delta":            partial + events(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"message":"rate limit exceeded"}}]}`),
		"in one line with a chunk":  "data: " + delta(`"content":"Hel"`) + `{"error":{"message":"rate limit exceeded"}}` + "\n\n",
		"behind a finish":           partial + events(finish("error"), `{"error":{"message":"rate limit exceeded"}}`),
		"lines of JSON":             lines(delta(`"content":"Hel"`), `{"error":{"message":"rate limit exceeded"}}`),
		"then the mark":             partial + events(`{"error":{"message":"rate limit exceeded"}}`, done),
		"an error field":            partial + "error: {\"message\":\"rate limit exceeded\"}\n\n",
		"an error field with words": partial + "error: rate limit exceeded\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _, err := stream(t, text)
			failure, ok := errors.AsType[*model.Error](err)
			require.True(t, ok, "no failure: %q", response.Text)
			require.Equal(t, model.RateLimited, failure.Class, failure.Message)
			require.True(t, failure.Retryable())
			require.Equal(t, "Hel", response.Text, "what came stays")
			require.Equal(t, says, failure.Reported())
		})
	}
	for name, text := range map[string]string{
		"words":              "event: error\ndata: Internal Server Error\n\n",
		"words as data":      "data: error: something broke\n\n",
		"words alone":        "upstream connect error or disconnect/reset before headers\n",
		"a status":           events(`{"status":500,"message":"it broke"}`),
		"a page":             "<html><body>502 Bad Gateway</body></html>",
		"an empty error":     "event: error\ndata: {}\n\n",
		"an exception":       events(`{"exception":"it broke"}`),
		"a trace":            "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'\n",
		"a failure of none":  events(`{"success":false}`),
		"a type of error":    events(`{"type":"error"}`),
		"an object of error": events(`{"object":"error","code":500}`),
	} {
		_, _, err := stream(t, partial+text)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok, name)
		require.True(t, failure.Retryable(), name)
	}
}
