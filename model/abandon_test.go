package model_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// deaf is a transport that heeds no context: it answers with a body that blocks once it has been read, or not at all.
type deaf struct {
	said   string
	status int
	silent bool
	// over lets everything that blocks end.
	over   chan struct{}
	closed *sync.Once
	ended  *sync.WaitGroup
}

func (d *deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.silent {
		<-d.over
	}
	d.ended.Add(1)
	return &http.Response{StatusCode: d.status, Header: http.Header{}, Request: r, Body: &deafBody{d, strings.NewReader(d.said)}}, nil
}

type deafBody struct {
	*deaf

	said *strings.Reader
}

func (b *deafBody) Read(p []byte) (int, error) {
	if b.said.Len() > 0 {
		return b.said.Read(p)
	}
	<-b.over
	return 0, io.EOF
}

// Close blocks like a body that waits for whoever reads from it.
func (b *deafBody) Close() error {
	<-b.over
	b.closed.Do(b.ended.Done)
	return nil
}

func TestATransportThatHeedsNoContextIsGivenUp(t *testing.T) {
	t.Parallel()
	stream := func(ctx context.Context, c *model.Client) (model.Response, error) { return c.Stream(ctx, hello, nil) }
	complete := func(ctx context.Context, c *model.Client) (model.Response, error) { return c.Complete(ctx, hello) }
	list := func(ctx context.Context, c *model.Client) (model.Response, error) {
		_, err := c.Models(ctx)
		return model.Response{}, err
	}
	for name, call := range map[string]func(context.Context, *model.Client) (model.Response, error){"stream": stream, "complete": complete, "models": list} {
		for when, answer := range map[string]deaf{
			"before the answer": {silent: true, status: http.StatusOK},
			"before any byte":   {status: http.StatusOK},
			"within the answer": {said: events(delta(`"content":"Hel"`)), status: http.StatusOK},
			"within a refusal":  {said: `{"error":`, status: http.StatusServiceUnavailable},
		} {
			for how, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
				"stopped": func(ctx context.Context) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					time.AfterFunc(10*time.Second, cancel)
					return ctx, cancel
				},
				"deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
					return context.WithTimeout(ctx, 10*time.Second)
				},
				"stalled": func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} },
			} {
				t.Run(name+"/"+when+"/"+how, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						d := &deaf{
							said:   answer.said,
							status: answer.status,
							silent: answer.silent,
							over:   make(chan struct{}),
							closed: &sync.Once{},
							ended:  &sync.WaitGroup{},
						}
						// What was given up ends in the end, and is closed then.
						defer func() {
							close(d.over)
							synctest.Wait()
							d.ended.Wait()
						}()
						client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: d}, StallTimeout: time.Minute})
						ctx, cancel := end(t.Context())
						defer cancel()
						begin := time.Now()
						response, err := call(ctx, client)
						require.Error(t, err)
						switch {
						case how != "stalled":
							require.LessOrEqual(t, time.Since(begin), 12*time.Second)
						case name == "stream":
							require.LessOrEqual(t, time.Since(begin), time.Minute+2*time.Second)
						default:
							// An answer in one piece begins when it is whole.
							require.LessOrEqual(t, time.Since(begin), 6*time.Minute+2*time.Second)
						}
						if when != "within a refusal" {
							want := map[bool]model.Class{true: model.Stalled, false: model.Canceled}[how == "stalled"]
							require.Equal(t, want, model.ClassOf(err), "%v", err)
						}
						if name == "stream" && when == "within the answer" {
							require.Equal(t, "Hel", response.Text)
						}
					})
				})
			}
		}
	}
}
