package app_test

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// ownServers are the addresses of an installation's servers in different spellings.
func ownServers(t *testing.T, p *apptest.Product) map[string]string {
	t.Helper()
	port := func(address string) string {
		_, port, err := net.SplitHostPort(address)
		require.NoError(t, err)
		return port
	}
	temporal, database, own := port(os.Getenv(apptest.EnvTemporal)), port(p.DatabaseHost(t)), port(strings.TrimPrefix(p.URL, "http://"))
	return map[string]string{
		"Temporal": "127.0.0.1:" + temporal, "Temporal, by another loopback address": "127.0.0.9:" + temporal,
		"Temporal, by name": "localhost:" + temporal,
		"Temporal, mapped":  "[::ffff:127.0.0.1]:" + temporal, "PostgreSQL": "127.0.0.1:" + database,
		"PostgreSQL, by name": "localhost:" + database,
		"the API":             "127.0.0.1:" + own, "the API, by the unspecified address": "0.0.0.0:" + own,
		"the API, by IPv6": "[::1]:" + own, "the Web UI": "localhost:7999",
		"another process": "127.0.0.1:7998",
	}
}

// openNetwork allows all that an operator can.
var openNetwork = map[string]string{
	"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.0/8,::/0,0.0.0.0/0,localhost", "COUNTERSIGN_CHECK_EGRESS_ALLOW": "0.0.0.0/0,::/0,localhost",
	"TEMPORAL_UI_URL": "http://localhost:7999", "COUNTERSIGN_OWN_ADDRESSES": "localhost:7998",
}

func TestServersOfTheInstallationAreReachedByNoTool(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: openNetwork})
	for name, address := range ownServers(t, p) {
		target := (&url.URL{Scheme: "http", Host: address, Path: "/"}).String()
		for _, call := range []struct {
			path string
			body map[string]any
		}{
			{"/api/probe", map[string]any{"url": target}},
			{"/api/ai/connections", map[string]any{"name": "Own " + name, "baseUrl": target + "v1", "defaultModel": "m"}},
			{"/api/ai/provider-models", map[string]any{"baseUrl": target + "v1"}},
		} {
			answer := p.Admin.Call(t, http.MethodPost, call.path, call.body)
			require.Equal(t, problem.Invalid.Status(), answer.Status, "%s by %s: %s", name, call.path, answer.Body)
			require.Contains(t, strings.ToLower(string(answer.Body)), "this installation", "%s by %s", name, call.path)
		}
	}
}

func TestServersOfTheInstallationAreReachedByNoCheck(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: openNetwork})
	elsewhere, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = elsewhere.Close() })
	require.Equal(t, "passed", draftRun(t, p, elsewhere.Addr().String()).Verdict, "another server of this machine can be opened")
	for name, address := range ownServers(t, p) {
		run := draftRun(t, p, address)
		require.Equal(t, "egress-refused", run.Cause, "%s: %s", name, run.Message)
	}
}

// An operator can open them one by one.
func TestAnOperatorOpensServersOfTheInstallation(t *testing.T) {
	t.Parallel()
	env := maps.Clone(openNetwork)
	env["COUNTERSIGN_EGRESS_OWN"] = "api,database"
	p := apptest.Start(t, apptest.Options{Env: env})
	own := ownServers(t, p)
	require.Equal(t, "passed", draftRun(t, p, own["the API"]).Verdict)
	require.Equal(t, "passed", draftRun(t, p, own["PostgreSQL"]).Verdict)
	require.Equal(t, "egress-refused", draftRun(t, p, own["Temporal"]).Cause)
	require.Equal(t, "egress-refused", draftRun(t, p, own["another process"]).Cause)
}

// draftRun connects to an address by a check.
func draftRun(t *testing.T, p *apptest.Product, address string) (run struct {
	Verdict string `json:"verdict"`
	Cause   string `json:"cause"`
	Message string `json:"message"`
},
) {
	t.Helper()
	host, portText, err := net.SplitHostPort(address)
	require.NoError(t, err)
	port, err := strconv.Atoi(portText)
	require.NoError(t, err)
	p.Admin.Post(t, "/api/healthcheck/draft-runs", map[string]any{"configuration": map[string]any{
		"strategyId": "healthcheck-tcp.tcp", "config": map[string]any{"host": host, "port": port}, "intervalSeconds": 60,
		"collectors": []any{map[string]any{"collectorId": "healthcheck-tcp.connection", "config": map[string]any{}}},
	}}, &run)
	return run
}
