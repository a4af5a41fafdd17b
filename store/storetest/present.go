package storetest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"countersign/store"
)

// Present is a process that others see alive until the test ends.
func Present(t testing.TB, db *store.DB) *store.Presence {
	t.Helper()
	l := store.NewListener(db, slog.New(slog.DiscardHandler))
	l.Presence = store.NewPresence()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-l.Ready()
	return l.Presence
}
