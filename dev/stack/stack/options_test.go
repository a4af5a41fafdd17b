package stack_test

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/stack"
)

func TestUpHasDefaults(t *testing.T) {
	t.Parallel()
	options, err := stack.ParseUp(nil, nil, io.Discard)
	require.NoError(t, err)

	require.Equal(t, 8080, options.Port)
	require.Equal(t, 8233, options.UIPort)
	require.Zero(t, options.TemporalPort)
	require.Zero(t, options.PostgresPort)
	require.Equal(t, 20*time.Second, options.Drain)
	require.True(t, filepath.IsAbs(options.Data))
	require.Equal(t, ".data", filepath.Base(options.Data))
	require.Equal(t, "countersign", filepath.Base(options.Program))
}

func TestEnvironmentReplacesDefaultsAndFlagsReplaceBoth(t *testing.T) {
	t.Parallel()
	env := stack.Environment{
		"PORT=1111",
		"TEMPORAL_UI_PORT=2222",
		"TEMPORAL_PORT=3333",
		"POSTGRES_PORT=4444",
		"COUNTERSIGN_DATA=/from/environment",
	}
	options, err := stack.ParseUp([]string{"--temporal-port", "5555", "--data", "/from/flag", "--drain", "3s"}, env, io.Discard)
	require.NoError(t, err)

	options.Program = ""
	require.Equal(t, stack.Options{
		Port: 1111, UIPort: 2222, TemporalPort: 5555, PostgresPort: 4444,
		Data: "/from/flag", Drain: 3 * time.Second,
	}, options)
}

func TestWrongSettingsNameTheVariable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args    []string
		env     stack.Environment
		message string
	}{
		"not a number":       {env: stack.Environment{"PORT=http"}, message: `PORT is "http"`},
		"negative":           {env: stack.Environment{"TEMPORAL_PORT=-1"}, message: "TEMPORAL_PORT"},
		"too large":          {args: []string{"--postgres-port=70000"}, message: "POSTGRES_PORT"},
		"the same port":      {env: stack.Environment{"TEMPORAL_UI_PORT=8080"}, message: "PORT and TEMPORAL_UI_PORT are both 8080"},
		"an unknown flag":    {args: []string{"--colour"}, message: "colour"},
		"a stray argument":   {args: []string{"now"}, message: `"now"`},
		"a duration missing": {args: []string{"--drain=soon"}, message: "drain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := stack.ParseUp(c.args, c.env, io.Discard)
			require.ErrorContains(t, err, c.message)
		})
	}
}

func TestSeveralPortsMayBeLeftOpen(t *testing.T) {
	t.Parallel()
	options, err := stack.ParseUp(nil, stack.Environment{"PORT=0", "TEMPORAL_UI_PORT=0"}, io.Discard)
	require.NoError(t, err)
	require.Zero(t, options.Port)
	require.Zero(t, options.UIPort)
}

func TestExecTakesTheCommandAsItIs(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--", "go", "test", "-run", "X"},
		{"go", "test", "-run", "X"},
	} {
		options, command, err := stack.ParseExec(args, io.Discard)
		require.NoError(t, err)
		require.Empty(t, options.Data)
		require.Equal(t, []string{"go", "test", "-run", "X"}, command)
	}
}

func TestExecNeedsACommand(t *testing.T) {
	t.Parallel()
	_, _, err := stack.ParseExec([]string{"--data", "x"}, io.Discard)
	require.ErrorContains(t, err, "needs a command")
}

func TestUnknownCommandPointsToHelp(t *testing.T) {
	t.Parallel()
	err := stack.Run(t.Context(), []string{"dwon"}, nil, io.Discard, io.Discard)
	require.ErrorContains(t, err, "devstack help")
}

func TestHelpIsNotAFailure(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"up", "--help"}, {"exec", "-h"}} {
		var out bytes.Buffer
		require.NoError(t, stack.Run(t.Context(), args, nil, &out, &out))
		require.Contains(t, out.String(), "devstack")
	}
}

func FuzzUpReadsAnyPort(f *testing.F) {
	for _, seed := range []string{"8080", "0", "", "-1", "65536", "0x10", "1e3", " 80", "٣"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		options, err := stack.ParseUp(nil, stack.Environment{"PORT=" + text}, io.Discard)
		if err != nil {
			require.ErrorContains(t, err, "PORT")
			return
		}
		require.GreaterOrEqual(t, options.Port, 0)
		require.LessOrEqual(t, options.Port, 65535)
	})
}
