package host_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/host"
)

func TestAServerAnswersToItsOwnNames(t *testing.T) {
	t.Parallel()
	names := host.New("https://Ops.Example.com:8443/app", "proxy.example.net", "", "other.example.org:8080")
	for _, header := range []string{
		"localhost", "localhost:8080", "LOCALHOST:8080", "localhost.", "app.localhost:1", "127.0.0.1", "127.0.0.1:8080", "127.8.9.10:1",
		"[::1]", "[::1]:8080", "10.1.2.3:80", "[fe80::1]:80", "ops.example.com", "ops.example.com:1", "OPS.example.com.", "proxy.example.net:8080",
		"other.example.org", "",
	} {
		require.True(t, names.Allow(header), header)
	}
	for _, header := range []string{
		"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example:8080", "127.0.0.1.nip.io", "xlocalhost",
		"evil.example.com", "sub.ops.example.com", "ops.example.com.evil.example", "api", "api:8080", ":8080", " ", "..", "0x7f.1.evil", "localhost@evil.example",
		"2130706433", "0x7f000001",
	} {
		require.False(t, names.Allow(header), header)
	}
	require.True(t, names.WithShort().Allow("api:8080"))
	require.False(t, names.WithShort().Allow("evil.example:8080"))
}

func TestARequestForAnotherNameIsRefused(t *testing.T) {
	t.Parallel()
	handler := host.New().Guard(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }),
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMisdirectedRequest) }),
	)
	for name, status := range map[string]int{"localhost:1": http.StatusOK, "evil.example:1": http.StatusMisdirectedRequest} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = name
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, status, w.Code, name)
	}
}
