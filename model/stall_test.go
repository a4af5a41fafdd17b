package model_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// scripted is a transport whose response body is written by the test, so that
// time can be the test's as well.
type scripted struct{ body io.ReadCloser }

func (s scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.body == nil {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	context.AfterFunc(r.Context(), func() { _ = s.body.Close() })
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: s.body, Request: r}, nil
}

func TestStallEndsTheCall(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(w io.Writer){
		"before the answer": nil,
		"before any byte":   func(io.Writer) {},
		"within the answer": func(w io.Writer) {
			for range 3 {
				<-time.After(50 * time.Second)
				_, _ = io.WriteString(w, events(delta(`"content":"x"`)))
			}
		},
		"behind comments": func(w io.Writer) {
			for {
				<-time.After(30 * time.Second)
				if _, err := io.WriteString(w, ": keep-alive\n\n"); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var writer sync.WaitGroup
				defer writer.Wait()
				transport := scripted{}
				if write != nil {
					r, w := io.Pipe()
					transport.body = r
					writer.Go(func() { write(w) })
				}
				client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: transport}})
				_, err := client.Stream(t.Context(), hello, nil)
				require.Equal(t, model.Stalled, model.ClassOf(err), "%v", err)
			})
		})
	}
}

// Usage behind the finish reason is the end of an answer. Without it more may come, so a provider is waited for until it
// is known to forget the end.
func TestProviderThatForgetsToEndIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	usage := `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	for name, test := range map[string]struct {
		stream string
		waits  []time.Duration
	}{
		"usage behind the finish reason": {events(delta(`"content":"Hi"`), finish("stop"), usage), []time.Duration{5 * time.Second, 5 * time.Second}},
		"no usage":                       {events(delta(`"content":"Hi"`), finish("stop")), []time.Duration{21 * time.Second, 5 * time.Second}},
		"usage with every piece":         {events(usage, delta(`"content":"Hi"`), finish("stop"), usage), []time.Duration{21 * time.Second, 5 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var writer sync.WaitGroup
				defer writer.Wait()
				transport := &scripted{}
				client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: transport}})
				for _, most := range test.waits {
					r, w := io.Pipe()
					transport.body = r
					writer.Go(func() { _, _ = io.WriteString(w, test.stream) })
					begin := time.Now()
					response, err := client.Stream(t.Context(), hello, nil)
					require.NoError(t, err)
					require.Equal(t, "Hi", response.Text)
					require.Less(t, time.Since(begin), most)
				}
			})
		})
	}
}

// A finish reason that comes before its time ends nothing, however long the pause behind it.
func TestAnEarlyFinishReasonEndsNothing(t *testing.T) {
	t.Parallel()
	const pause = 15 * time.Second
	for name, test := range map[string]struct {
		before, between, after, text string
		calls                        []model.ToolCall
	}{
		"before anything":              {before: events(finish("stop")), after: events(delta(`"content":"Hi"`)), text: "Hi"},
		"with the first piece":         {before: events(`{"choices":[{"delta":{"content":"H"},"finish_reason":"stop"}]}`), after: events(`{"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]}`), text: "Hi"},
		"behind the thoughts":          {before: events(delta(`"reasoning":"Hm."`), finish("stop")), after: events(delta(`"content":"Hi"`)), text: "Hi"},
		"before the calls":             {before: events(delta(`"content":"Hi"`), finish("tool_calls")), after: events(callDelta(call(`"index":0,"id":"c"`, `"name":"a","arguments":"{}"`))), text: "Hi", calls: []model.ToolCall{{ID: "c", Name: "a", Arguments: "{}"}}},
		"in the arguments":             {before: events(callDelta(call(`"index":0,"id":"c"`, `"name":"a","arguments":"{"`)), finish("tool_calls")), after: events(callDelta(call(`"index":0`, `"arguments":"}"`))), calls: []model.ToolCall{{ID: "c", Name: "a", Arguments: "{}"}}},
		"behind ordinary text":         {before: events(delta(`"content":"H"`), finish("stop")), after: events(delta(`"content":"i"`)), text: "Hi"},
		"before calls nobody spoke of": {before: events(delta(`"content":"Hi"`), finish("stop")), after: events(callDelta(call(`"index":0,"id":"c"`, `"name":"a","arguments":"{}"`))), text: "Hi", calls: []model.ToolCall{{ID: "c", Name: "a", Arguments: "{}"}}},
		"in the text, once noticed":    {before: events(delta(`"content":"H"`), finish("stop"), delta(`"content":"i"`)), between: events(delta(`"content":" "`)), after: events(delta(`"content":"there"`)), text: "Hi there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				var writer sync.WaitGroup
				defer writer.Wait()
				writer.Go(func() {
					for _, part := range []string{test.before, test.between, test.after + events(finish("stop"), done)} {
						if part != "" {
							_, _ = io.WriteString(w, part)
							<-time.After(pause)
						}
					}
				})
				client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: scripted{r}}})
				response, err := client.Stream(t.Context(), hello, nil)
				require.NoError(t, err)
				require.Equal(t, test.text, response.Text)
				require.Equal(t, test.calls, response.ToolCalls)
			})
		})
	}
}

func TestCancelEndsTheCallAndKeepsWhatArrived(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client := answering(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, events(delta(`"content":"Hel"`)))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	response, err := client.Stream(ctx, hello, func(model.Delta) { cancel() })
	require.Equal(t, model.Canceled, model.ClassOf(err))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "Hel", response.Text)
}
