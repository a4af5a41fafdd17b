package model_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// endless sends the same event for ever and counts the bytes that were read.
type endless struct {
	first, event string
	sent         int
}

func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(e), Request: r}, nil
}

func (e *endless) Read(into []byte) (int, error) {
	next := e.first
	if e.first = ""; next == "" {
		next = e.event
	}
	e.sent += len(next)
	return copy(into, next), nil
}

// A model may think the same for a while before it answers.
func TestThoughtsThatRepeatThemselvesAreNoLoopYet(t *testing.T) {
	t.Parallel()
	thought := strings.Repeat("Let me think about each of the systems. ", 2_000)
	response, _, err := stream(
		t,
		events(delta(`"reasoning_content":`+strconv.Quote(thought)), delta(`"content":"It is red."`), finish("stop"), done),
	)
	require.NoError(t, err)
	require.Equal(t, "It is red.", response.Text)
	require.Equal(t, thought, response.Reasoning)
}

// A model that loops is stopped after some rounds, and what it said before stays, with one round.
func TestALoopEndsTheAnswer(t *testing.T) {
	t.Parallel()
	thought := "Wait, let me think about this again. " + strings.Repeat("Is it red or green? ", 20)
	for name, test := range map[string]struct{ member, text, round string }{
		"a word":        {"content", "All of the courts: ", "court "},
		"a line":        {"content", "", "| payments | ok |\n"},
		"a paragraph":   {"content", "It is so.\n\n", strings.Repeat("The payments system is slow since noon. ", 3) + "\n\n"},
		"white space":   {"content", "It is so.", "\n"},
		"other letters": {"content", "好的。", "法院"},
		"thoughts":      {"reasoning_content", "", thought},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := &endless{
				first: events(delta(`"` + test.member + `":` + strconv.Quote(test.text))),
				event: events(delta(`"` + test.member + `":` + strconv.Quote(test.round))),
			}
			client := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: provider}})
			var said, thought strings.Builder
			response, err := client.Stream(t.Context(), hello, func(d model.Delta) {
				if d.Restart {
					said.Reset()
					thought.Reset()
				}
				said.WriteString(d.Text)
				thought.WriteString(d.Reasoning)
			})
			failure, ok := errors.AsType[*model.Error](err)
			require.True(t, ok)
			require.Equal(t, model.Repetition, failure.Reason)
			require.False(t, failure.Retryable(), "the same request would be paid for again")
			require.Equal(t, strings.TrimSpace(test.text+test.round), strings.TrimSpace(response.Text+response.Reasoning))
			require.Equal(t, response.Text, said.String())
			require.Equal(t, response.Reasoning, thought.String())
			require.Less(t, provider.sent, 3<<20)
		})
	}
}

// counter sends one event for each number, for ever.
type counter struct {
	form string
	n    int
	rest string
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(c), Request: r}, nil
}

func (c *counter) Read(into []byte) (int, error) {
	if c.rest == "" {
		c.n++
		c.rest = events(delta(`"content":` + strconv.Quote(fmt.Sprintf(c.form, c.n))))
	}
	n := copy(into, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Rounds that differ in their numbers alone are a loop, once they are longer than any answer.
func TestALoopThatCountsEndsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"Step %d: Let me look at the payments system again.\n",
		"Attempt %d failed. " + strings.Repeat("The payments system is slow since noon. ", 20) + "\n\n",
		"第%d步：检查系统。",
	} {
		provider := &counter{form: form}
		client := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: provider}})
		response, err := client.Stream(t.Context(), hello, nil)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok)
		require.Equal(t, model.Repetition, failure.Reason)
		require.Equal(t, strings.TrimSpace(fmt.Sprintf(form, 1)), strings.TrimSpace(response.Text))
		require.Less(t, provider.n*len(form), 400<<10)
	}
}

// Arguments and calls in the text can loop as well.
func TestALoopInACallEndsTheAnswer(t *testing.T) {
	t.Parallel()
	for name, provider := range map[string]*endless{
		"arguments": {
			first: events(callDelta(call(`"index":0,"id":"c"`, `"name":"a","arguments":"{\"text\":\""`))),
			event: events(callDelta(call(`"index":0`, `"arguments":"so "`))),
		},
		"calls in the text": {event: events(delta(`"content":` + strconv.Quote(`<tool_call>{"name":"a","arguments":{}}</tool_call>`)))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: provider}})
			response, err := client.Stream(t.Context(), hello, nil)
			failure, ok := errors.AsType[*model.Error](err)
			require.True(t, ok)
			require.Equal(t, model.Repetition, failure.Reason)
			require.NotContains(t, response.Text, "tool_call")
			require.Less(t, provider.sent, 3<<20)
		})
	}
}

// Tables, lists, code and rulers have similar lines, and some equal ones.
func TestSimilarLinesAreNoLoop(t *testing.T) {
	t.Parallel()
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"numbered": lines(3_000, func(i int) string { return fmt.Sprintf("| %d | payments | ok | ok | ok |\n", i) }),
		"figures": lines(5_000, func(i int) string {
			return fmt.Sprintf("12:%02d:%02d GET /health 200 OK in %d ms\n", i/60%60, i%60, i*i%997)
		}),
		"few figures": lines(9_000, func(i int) string {
			return fmt.Sprintf("| %d | payments | %s |\n", i, []string{"red", "green"}[i*i%7%2])
		}),
		"named":        lines(800, func(i int) string { return fmt.Sprintf("- system-%x is healthy since yesterday\n", i*i) }),
		"equal":        lines(365, func(int) string { return "- no incident\n" }),
		"rulers":       lines(40, func(i int) string { return strings.Repeat("-", 120) + fmt.Sprintf("\n%d\n", i) }),
		"wide ruler":   strings.Repeat("=", 9_000) + "\nThat is it.",
		"log":          lines(500, func(i int) string { return fmt.Sprintf("12:%02d:%02d GET /health 200 OK\n", i/60%60, i%60) }),
		"code":         lines(200, func(i int) string { return fmt.Sprintf("\tif err != nil {\n\t\treturn %d, err\n\t}\n", i) }),
		"zeros":        "[" + strings.Repeat("0, ", 4_000) + "1]",
		"nearly equal": lines(60, func(i int) string { return strings.Repeat("| ok | ok | ok |\n", 20) + fmt.Sprintf("%d\n", i) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var payloads []string
			for i := 0; i < len(text); i += 50 {
				payloads = append(payloads, delta(`"content":`+strconv.Quote(text[i:min(i+50, len(text))])))
			}
			response, _, err := stream(t, events(append(payloads, finish("stop"), done)...))
			require.NoError(t, err)
			require.Equal(t, text, response.Text)
		})
	}
}
