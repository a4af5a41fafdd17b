package activities_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/model"
	"countersign/workflows"
)

// deaf is a transport that heeds no context: its answer blocks after what it has said until it is released.
type deaf struct {
	said     io.Reader
	blocks   chan struct{}
	released chan struct{}
}

func (d *deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: d, Request: r}, nil
}

func (d *deaf) Read(p []byte) (int, error) {
	if n, err := d.said.Read(p); err == nil {
		return n, nil
	}
	close(d.blocks)
	<-d.released
	return 0, io.EOF
}

func (d *deaf) Close() error {
	<-d.released
	return nil
}

func TestAStopEndsAModelCallThatHeedsNoContext(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	d := &deaf{
		said:     strings.NewReader(`data: {"choices":[{"delta":{"content":"Hel"}}]}` + "\n\n"),
		blocks:   make(chan struct{}),
		released: make(chan struct{}),
	}
	defer close(d.released)
	p.connects(func(c *activities.Connection) {
		c.Client = model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: d}})
	})
	conversation := uuid.New()
	id := p.begin(t, "Hello", inConversation(conversation))
	ended := make(chan workflows.CallModelOutput, 1)
	go func() {
		out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1})
		if err == nil {
			ended <- out
		}
		close(ended)
	}()
	<-d.blocks
	_, ok, err := p.store.RequestStop(t.Context(), conversation)
	require.NoError(t, err)
	require.True(t, ok)
	select {
	case out := <-ended:
		require.True(t, out.Stopped)
	case <-time.After(time.Minute):
		t.Fatal("the call goes on after the stop")
	}
	s, err := p.Sessions.Open(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "Hel", s.Step(1).Model.Segments[0].Text, "what it had said stays")
}
