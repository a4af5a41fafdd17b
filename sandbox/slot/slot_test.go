package slot_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox/slot"
)

const (
	waitMost = time.Minute
	tick     = time.Millisecond
)

func TestASlotIsForOneAtATime(t *testing.T) {
	t.Parallel()
	s := slot.New(1)
	require.NoError(t, s.Acquire(t.Context()))
	require.False(t, s.Contended())
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() { gaveUp <- s.Acquire(ctx) }()
	require.Eventually(t, s.Contended, waitMost, tick)
	cancel()
	require.ErrorIs(t, <-gaveUp, context.Canceled)
	require.False(t, s.Contended(), "who gave up does not wait")
	got := make(chan error)
	go func() { got <- s.Acquire(t.Context()) }()
	require.Eventually(t, s.Contended, waitMost, tick)
	s.Release()
	require.NoError(t, <-got, "who gave up has no slot")
	s.Release()
	require.Panics(t, s.Release)
}
