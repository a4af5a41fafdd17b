package app_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// An acknowledgement that comes after the end changes nothing, however close to it: of 200 races between two processes, all
// incidents end resolved, and each late acknowledgement is refused with the state.
func TestALateAcknowledgementDoesNotReopen(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	beside := apptest.Start(t, apptest.Options{Beside: p})
	other := p.Admin.At(beside)
	shop := newSystem(t, p.Admin, "Shop")
	const races, atOnce = 200, 4
	var racing sync.WaitGroup
	places := make(chan struct{}, atOnce)
	late, early := make(chan int, races), make(chan int, races)
	for range races {
		var opened struct{ ID uuid.UUID }
		p.Admin.Post(
			t,
			"/api/incidents",
			map[string]any{"title": "Checkout is slow", "severity": "minor", "systemIds": []uuid.UUID{shop}},
			&opened,
		)
		places <- struct{}{}
		racing.Go(func() {
			defer func() { <-places }()
			incident := "/api/incidents/" + opened.ID.String()
			var two sync.WaitGroup
			send := func(c *apptest.Client, path string, body map[string]any, into chan int) {
				answer, err := c.Send(context.WithoutCancel(t.Context()), http.MethodPost, incident+path, body)
				if err == nil {
					into <- answer.Status
				}
			}
			two.Go(func() { send(p.Admin, "/resolve", map[string]any{}, early) })
			two.Go(func() { send(other, "/acknowledge", nil, late) })
			two.Wait()
		})
	}
	racing.Wait()
	close(late)
	close(early)
	require.Len(t, early, races)
	for status := range early {
		require.Equal(t, http.StatusOK, status)
	}
	counts := map[int]int{}
	for status := range late {
		counts[status]++
	}
	require.Equal(t, races, counts[http.StatusOK]+counts[http.StatusConflict], "%v", counts)
	require.Equal(t, races, p.Count(t, `SELECT count(*) FROM incidents WHERE status = 'resolved'`))
	t.Logf("%d acknowledged before the end, %d refused after it", counts[http.StatusOK], counts[http.StatusConflict])
}
