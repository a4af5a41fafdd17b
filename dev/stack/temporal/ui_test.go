package temporal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/temporal"
)

// A page whose name was made to lead to this machine reads nothing, and no page elsewhere writes.
func TestTheWebUIAnswersToItsOwnNames(t *testing.T) {
	t.Parallel()
	database, _ := newDatabase(t)
	server := start(t, database)
	t.Cleanup(server.Stop)
	ui, err := temporal.StartUI(t.Context(), temporal.UIConfig{
		Server: server, Hosts: []string{"temporal.example.com"}, Codec: "http://localhost:8080/api/temporal/codec",
	})
	require.NoError(t, err)
	t.Cleanup(ui.Stop)
	at, err := url.Parse(ui.URL())
	require.NoError(t, err)

	jar := map[string]string{}
	type answer struct {
		StatusCode int
		cookies    []*http.Cookie
	}
	send := func(method, host, path string, headers map[string]string) answer {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:"+at.Port()+path, strings.NewReader("{}"))
		require.NoError(t, err)
		request.Host = host
		request.Header.Set("Content-Type", "application/json")
		for name, value := range jar {
			request.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		defer response.Body.Close()
		return answer{response.StatusCode, response.Cookies()}
	}
	own := []string{
		"localhost:" + at.Port(),
		"127.0.0.1:" + at.Port(),
		"[::1]:" + at.Port(),
		"temporal.example.com",
		"TEMPORAL.example.com:443",
	}
	for _, host := range own {
		for _, path := range []string{"/", "/namespaces/default/workflows", "/api/v1/namespaces/default/workflows", "/api/v1/settings"} {
			response := send(http.MethodGet, host, path, nil)
			require.Equal(t, http.StatusOK, response.StatusCode, "%s%s", host, path)
			for _, c := range response.cookies {
				jar[c.Name] = c.Value
			}
		}
	}
	for _, host := range []string{"evil.example", "evil.example:" + at.Port(), "localhost.evil.example", "127.0.0.1.nip.io:" + at.Port(), "other.example.com", "x"} {
		for _, path := range []string{"/", "/healthz", "/api/v1/namespaces/default/workflows", "/api/v1/settings"} {
			require.Equal(t, http.StatusMisdirectedRequest, send(http.MethodGet, host, path, nil).StatusCode, "%s%s", host, path)
		}
	}

	const write = "/api/v1/namespaces/default/workflows/none/terminate"
	token := map[string]string{"X-CSRF-Token": jar["_csrf"]}
	with := func(name, value string) map[string]string {
		return map[string]string{"X-CSRF-Token": jar["_csrf"], name: value}
	}
	require.Equal(
		t,
		http.StatusNotFound,
		send(http.MethodPost, own[0], write, token).StatusCode,
		"it reaches the server, which has no such workflow",
	)
	require.Equal(t, http.StatusNotFound, send(http.MethodPost, own[0], write, with("Origin", "http://"+own[0])).StatusCode)
	for _, origin := range []string{"http://evil.example", "http://localhost:1", "null"} {
		require.Equal(t, http.StatusForbidden, send(http.MethodPost, own[0], write, with("Origin", origin)).StatusCode, origin)
	}
	require.Equal(t, http.StatusForbidden, send(http.MethodPost, own[0], write, with("Sec-Fetch-Site", "same-site")).StatusCode)
	require.Equal(
		t,
		http.StatusMisdirectedRequest,
		send(http.MethodPost, "evil.example", write, with("Origin", "http://evil.example")).StatusCode,
	)
}
