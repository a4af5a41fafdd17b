package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheStandardLibraryReadsItsClockWhereItIsShifted(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go"))
	require.NoError(t, err)
	changed, err := shifted(string(source))
	require.NoError(t, err)
	require.Len(t, changed, len(source)+len(shiftsIt))
	_, err = shifted("package time\n")
	require.Error(t, err, "a Go that reads it otherwise is noticed")
}

func TestOfEachKindOneClockIsAheadAndOneIsBehind(t *testing.T) {
	t.Parallel()
	const by = 5 * time.Minute
	require.Equal(t, []time.Duration{by, -by, -by, by}, clocksOf(apart, by))
}

// A process that accepts connections and says nothing holds a run up for as long as a question may take, and no longer.
func TestNobodyIsAskedForTheTimeForEver(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	s := &slot{kind: worker, port: silent.Addr().(*net.TCPAddr).Port}
	ctx, cancel := context.WithTimeout(t.Context(), 10*questionLimit)
	defer cancel()
	require.Error(t, hasClock(ctx, s, 0))
	require.NoError(t, ctx.Err(), "it has given up by itself")
}
