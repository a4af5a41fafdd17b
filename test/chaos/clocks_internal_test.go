package main

import (
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
	require.Equal(t, len(source)+len(shiftsIt), len(changed))
	_, err = shifted("package time\n")
	require.Error(t, err, "a Go that reads it otherwise is noticed")
}

func TestOfEachKindOneClockIsAheadAndOneIsBehind(t *testing.T) {
	t.Parallel()
	const by = 5 * time.Minute
	require.Equal(t, []time.Duration{by, -by, -by, by}, clocksOf(apart, by))
}
