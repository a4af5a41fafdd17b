package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/rest"
)

// volumes answer any read with as much text as is asked for.
type volumes struct{ paths []string }

type volume struct {
	Body struct {
		Text string `json:"text"`
	}
}

func (v volumes) Routes(a huma.API) {
	read := func(_ context.Context, in *struct {
		Size int `query:"size"`
	},
	) (*volume, error) {
		out := &volume{}
		out.Body.Text = strings.Repeat("a", in.Size)
		return out, nil
	}
	for _, path := range v.paths {
		huma.Register(a, rest.Op("read"+strings.ReplaceAll(path, "/", "-"), http.MethodGet, path, "Read "+path), read)
	}
	huma.Register(a, rest.Op("write-volume", http.MethodPost, "/api/volumes", "Write a volume"), read)
}

func TestAnswersAreCompressedWhereTheirSizeTellsNothing(t *testing.T) {
	t.Parallel()
	secret := []string{
		"/api/ai/volumes",
		"/api/auth/volumes",
		"/api/heartbeats/volumes",
		"/api/checks/heartbeats",
		"/api/checks/live",
		"/api/ai/chat/stream",
	}
	s := newServer(t, with(volumes{paths: append([]string{"/api/volumes"}, secret...)}))
	encoding := func(method, path string, headers ...string) string {
		w := s.do(t, method, path, "", append([]string{"Accept-Encoding", "gzip, deflate, br, zstd"}, headers...)...)
		require.Equal(t, 2, w.Code/100, "%s %s: %s", method, path, w.Body)
		return w.Header().Get("Content-Encoding")
	}
	const large = "?size=5000"
	for _, headers := range [][]string{{}, {"Sec-Fetch-Site", "same-origin"}} {
		require.Equal(t, "gzip", encoding(http.MethodGet, "/api/volumes"+large, headers...), headers)
	}
	require.Empty(t, encoding(http.MethodGet, "/api/volumes?size=10"), "it would become longer")
	require.Empty(t, encoding(http.MethodPost, "/api/volumes"+large), "it may hold what is shown once")
	for _, site := range []string{"cross-site", "same-site", "none"} {
		require.Empty(
			t,
			encoding(http.MethodGet, "/api/volumes"+large, "Sec-Fetch-Site", site),
			"another site may have chosen what is beside a secret",
		)
	}
	require.Empty(t, encoding(http.MethodGet, "/api/volumes"+large, "Accept", "text/event-stream"))
	for _, path := range secret {
		require.Empty(t, encoding(http.MethodGet, path+large), path)
	}
	plain := s.do(t, http.MethodGet, "/api/volumes"+large, "")
	require.Empty(t, plain.Header().Get("Content-Encoding"), "nobody has asked for it")

	refused := s.do(t, http.MethodGet, "/api/volumes"+large, "", "Accept-Encoding", "br, gzip;q=0")
	require.Empty(t, refused.Header().Get("Content-Encoding"), "it is named as what is not read")
	require.Contains(t, refused.Header().Values("Vary"), "Accept-Encoding")

	w := s.do(t, http.MethodGet, "/api/volumes"+large, "", "Accept-Encoding", "gzip")
	require.Less(t, w.Body.Len(), 500)
	require.Contains(t, w.Header().Values("Vary"), "Accept-Encoding")
	reader, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, plain.Body.String(), string(text))
}

func TestFilesOfTheWebAppAreServedAsTheBuildHasCompressedThem(t *testing.T) {
	t.Parallel()
	app := fstest.MapFS{
		"index.html":          {Data: []byte("<!doctype html><title>Countersign</title>")},
		"assets/app-1a.js":    {Data: bytes.Repeat([]byte("console.log(1);"), 200)},
		"assets/app-1a.js.br": {Data: []byte("as brotli has made it")},
		"assets/new-2b.css":   {Data: []byte("p { color: red }")},
	}
	s := newServer(t, func(o *api.Options) { o.Web = app })
	for _, accepted := range []string{"gzip, deflate, br, zstd", "br;q=0.5", " BR "} {
		w := s.do(t, http.MethodGet, "/assets/app-1a.js", "", "Accept-Encoding", accepted)
		require.Equal(t, "br", w.Header().Get("Content-Encoding"), accepted)
		require.Equal(t, "as brotli has made it", w.Body.String())
		require.Regexp(t, "^text/javascript", w.Header().Get("Content-Type"))
		require.Contains(t, w.Header().Get("Cache-Control"), "immutable")
		require.Contains(t, w.Header().Values("Vary"), "Accept-Encoding")
	}
	for _, accepted := range []string{"", "identity", "br;q=0", "brotli"} {
		w := s.do(t, http.MethodGet, "/assets/app-1a.js", "", "Accept-Encoding", accepted)
		require.Empty(t, w.Header().Get("Content-Encoding"), accepted)
		require.Equal(t, string(app["assets/app-1a.js"].Data), w.Body.String())
		require.Contains(t, w.Header().Values("Vary"), "Accept-Encoding", "a cache keeps both apart")
	}
	require.Equal(t, "gzip", s.do(t, http.MethodGet, "/assets/app-1a.js", "", "Accept-Encoding", "gzip").Header().Get("Content-Encoding"))
	w := s.do(t, http.MethodGet, "/assets/new-2b.css", "", "Accept-Encoding", "br")
	require.Equal(t, "p { color: red }", w.Body.String())
	require.Empty(t, w.Header().Get("Content-Encoding"))
}
