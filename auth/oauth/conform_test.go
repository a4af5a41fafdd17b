package oauth_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth/oauth"
)

func TestConnectedProgramsConform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	programs, err := oauth.New(oauth.Options{
		DB:       server.DB,
		Log:      slog.New(slog.DiscardHandler),
		Issuer:   "https://ops.example.org",
		Resource: "https://ops.example.org/mcp",
		Key:      bytes.Repeat([]byte("k"), 32),
		Fetch:    &http.Client{Transport: nowhere{}},
		Address:  func(remoteAddr, _ string) string { return remoteAddr },
	})
	require.NoError(t, err)
	server.Mount(t, programs)
	apitest.Conform(t, apitest.Subject{
		Server: server, Module: programs,
		Unrevised: map[string]string{"disconnect-program": "a connection never changes"},
	})
}
