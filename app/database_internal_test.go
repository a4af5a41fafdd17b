package app

import (
	"bytes"
	"io"
	"log/slog"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/config"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func starting(t *testing.T, databaseURL string, log io.Writer) *App {
	t.Helper()
	return &App{config: config.Config{DatabaseURL: databaseURL}, log: slog.New(slog.NewTextHandler(log, nil))}
}

// firstLine tells when something is written, and what.
type firstLine chan string

func (l firstLine) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

// A process that is started while the database is away, as all are that were replaced because of that, begins as soon as it is back.
func TestAProcessWaitsForTheDatabaseWhenItStarts(t *testing.T) {
	t.Parallel()
	through, relay := storetest.Through(t, storetest.URL(t))
	relay.Away()
	told := make(firstLine, 1)
	type opened struct {
		db  *store.DB
		err error
	}
	end := make(chan opened, 1)
	go func() {
		db, err := starting(t, through, told).openDatabase(t.Context())
		end <- opened{db, err}
	}()
	select {
	case line := <-told:
		require.Contains(t, line, "Waiting for the database")
	case o := <-end:
		require.Fail(t, "it did not wait", "%v", o.err)
	}
	relay.Back()
	o := <-end
	require.NoError(t, o.err)
	o.db.Close()
}

// What no wait can mend is told at once.
func TestAProcessThatTheDatabaseRefusesEnds(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storetest.URL(t))
	require.NoError(t, err)
	u.Path += "_missing"
	var log bytes.Buffer
	_, err = starting(t, u.String(), &log).openDatabase(t.Context())
	require.ErrorContains(t, err, "does not exist")
	require.Empty(t, log.String())
}
