package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// silent is an address where connections are accepted and nothing is ever said.
func silent(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// Whoever accepts a connection and says nothing holds nobody up for ever.
func TestWhoSaysNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	address := silent(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*readyLimit)
	defer cancel()
	require.False(t, readyAt(ctx, "http://"+address))
	require.NoError(t, ctx.Err(), "it has given up by itself")

	s := &stack{database: "postgres://nobody@" + address + "/nothing?sslmode=disable"}
	require.ErrorIs(t, (&look{}).database(t.Context(), s, 100*time.Millisecond), context.DeadlineExceeded)
}
