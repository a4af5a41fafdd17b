package storetest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"countersign/store"
)

// LiveProcess is the lease of a process that other processes see alive until the test ends.
func LiveProcess(t testing.TB, db *store.DB) *store.ProcessLease {
	t.Helper()
	l := store.NewListener(db, slog.New(slog.DiscardHandler))
	l.ProcessLease = store.NewProcessLease()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-l.Ready()
	return l.ProcessLease
}
