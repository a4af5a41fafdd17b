package app_test

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// ask sends a request to an address as a browser does that believes in another name.
func ask(t *testing.T, url, host string, headers ...apptest.Header) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	request.Host = host
	for _, h := range headers {
		request.Header.Set(h.Name, h.Value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// A page whose name leads to this machine must not be able to talk to what listens here.
func TestAForeignHostNameIsRefused(t *testing.T) {
	t.Parallel()
	debug := freeAddress(t)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{
		"COUNTERSIGN_DEBUG_ADDRESS": debug,
		"COUNTERSIGN_URL":           "https://ops.example.com",
		"COUNTERSIGN_ALLOWED_HOSTS": "inner.example.net,other.example.net:8443",
	}})
	_, port, err := net.SplitHostPort(p.URL[len("http://"):])
	require.NoError(t, err)

	for _, path := range []string{"/", "/metrics", "/healthz", "/readyz", "/api/openapi.json", "/api/me", "/api/auth/login"} {
		for _, host := range []string{"evil.example", "evil.example:" + port, "localhost.evil.example:" + port, "api:" + port} {
			status, body := ask(t, p.URL+path, host)
			require.Equal(t, http.StatusMisdirectedRequest, status, "%s %s", host, path)
			require.Contains(t, body, "COUNTERSIGN_ALLOWED_HOSTS", "it says what to do")
			require.NotContains(t, body, "countersign_", "it shows nothing")
		}
	}
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port, "ops.example.com", "inner.example.net", "other.example.net"} {
		status, _ := ask(t, p.URL+"/healthz", host)
		require.Equal(t, http.StatusOK, status, host)
	}

	apptest.Eventually(t, "profiles are served", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", debug)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	status, _ := ask(t, "http://"+debug+"/debug/pprof/", "localhost")
	require.Equal(t, http.StatusOK, status)
	for _, host := range []string{"evil.example", "ops.example.com"} {
		status, _ = ask(t, "http://"+debug+"/debug/pprof/", host)
		require.Equal(t, http.StatusMisdirectedRequest, status, host)
	}
	// An image in a page elsewhere could make the process write a profile for half a minute.
	status, _ = ask(
		t,
		"http://"+debug+"/debug/pprof/profile?seconds=30",
		"localhost",
		apptest.Header{Name: "Sec-Fetch-Site", Value: "cross-site"},
	)
	require.Equal(t, http.StatusForbidden, status)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port)) //nolint:forcetypeassert // it is TCP
}
