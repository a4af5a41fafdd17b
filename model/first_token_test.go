package model_test

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// The time before an answer begins has a limit of its own, and signs of life count: a slow server is waited for, a dead
// one is not.
func TestAnAnswerMayBeginLate(t *testing.T) {
	t.Parallel()
	answer := events(delta(`"content":"Hi"`), finish("stop")) + "data: [DONE]\n\n"
	say := func(text string) func(io.Writer) { return func(w io.Writer) { _, _ = io.WriteString(w, text) } }
	wait := func(d time.Duration) func(io.Writer) { return func(io.Writer) { <-time.After(d) } }
	alive := func(times int, every time.Duration) func(io.Writer) {
		return func(w io.Writer) {
			for range times {
				<-time.After(every)
				_, _ = io.WriteString(w, ": keep-alive\n\n")
			}
		}
	}
	role := say(events(delta(`"role":"assistant"`)))
	for name, test := range map[string]struct {
		first time.Duration
		parts []func(io.Writer)
		// reason is that of the failure; "answers" for none.
		reason model.Reason
		after  time.Duration
	}{
		"as long as it may":            {5 * time.Minute, []func(io.Writer){wait(4 * time.Minute), say(answer)}, "answers", 4 * time.Minute},
		"the client's limit":           {0, []func(io.Writer){wait(2 * time.Minute), say(answer)}, model.FirstToken, time.Minute},
		"longer than it may":           {5 * time.Minute, []func(io.Writer){wait(6 * time.Minute), say(answer)}, model.FirstToken, 5 * time.Minute},
		"a shorter limit":              {20 * time.Second, []func(io.Writer){wait(30 * time.Second), say(answer)}, model.FirstToken, 20 * time.Second},
		"seldom signs of life":         {3 * time.Minute, []func(io.Writer){alive(3, 70*time.Second), say(answer)}, "answers", 210 * time.Second},
		"only signs of life":           {5 * time.Minute, []func(io.Writer){alive(60, 20*time.Second)}, model.FirstToken, 320 * time.Second},
		"a role and then nothing yet":  {5 * time.Minute, []func(io.Writer){role, wait(4 * time.Minute), say(answer)}, "answers", 4 * time.Minute},
		"silence in the answer is not": {5 * time.Minute, []func(io.Writer){say(events(delta(`"content":"Hi"`))), wait(2 * time.Minute)}, "", time.Minute},
		"nor after late first words": {
			5 * time.Minute,
			[]func(io.Writer){wait(4 * time.Minute), say(events(delta(`"reasoning_content":"Hm"`))), wait(2 * time.Minute)},
			"", 5 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var writer sync.WaitGroup
				defer writer.Wait()
				r, w := io.Pipe()
				writer.Go(func() {
					for _, part := range test.parts {
						part(w)
					}
					_ = w.Close()
				})
				client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: scripted{r}}})
				began := time.Now()
				request := hello
				request.FirstToken = test.first
				response, err := client.Stream(t.Context(), request, nil)
				require.InDelta(t, test.after.Seconds(), time.Since(began).Seconds(), 2)
				if test.reason == "answers" {
					require.NoError(t, err)
					require.Equal(t, "Hi", response.Text)
					return
				}
				failure, ok := errors.AsType[*model.Error](err)
				require.True(t, ok, "%v", err)
				require.Equal(t, model.Stalled, failure.Class)
				require.Equal(t, test.reason, failure.Reason)
			})
		})
	}
}
