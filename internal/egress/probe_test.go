package egress_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/internal/problem"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// probe asks a server behind a public name.
func probe(t *testing.T, method string, handler http.HandlerFunc) (egress.Result, error) {
	t.Helper()
	w := wireTo(serve(t, handler))
	guard := egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: w.dial, OwnAddrs: noOwnAddrs})
	return egress.Probe(t.Context(), guard, "http://www.example.com/status?full=1#top", method)
}

func TestAProbeReportsWhatTheURLAnswers(t *testing.T) {
	t.Parallel()
	result, err := probe(t, "GET", func(w http.ResponseWriter, r *http.Request) {
		require.Empty(t, r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer"))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Server", "nginx")
		w.Header().Set("Set-Cookie", "session=secret")
		w.Header().Set("X-Internal", "10.0.0.7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"status":"down"}`)
	})
	require.NoError(t, err)
	require.Equal(t, egress.Result{
		URL: "http://www.example.com/status?full=1", Status: 503, StatusText: "Service Unavailable", ContentType: "application/json",
		Headers:    map[string]string{"content-type": "application/json", "server": "nginx", "content-length": "17"},
		BodySample: `{"status":"down"}`,
	}, result)
}

func TestAHeadProbeHasNoBody(t *testing.T) {
	t.Parallel()
	result, err := probe(t, "HEAD", func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, http.MethodHead, r.Method)
		w.Header().Set("Content-Length", "1234")
	})
	require.NoError(t, err)
	require.Equal(t, "1234", result.Headers["content-length"])
	require.Empty(t, result.BodySample)
	require.False(t, result.BodyTruncated)
}

func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"POST", "get", "DELETE", "GET ", "CONNECT"} {
		_, err := probe(t, method, func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") })
		require.Equal(t, problem.Invalid, problem.CodeOf(err), method)
	}
	_, err := probe(t, "", func(_ http.ResponseWriter, r *http.Request) { require.Equal(t, http.MethodGet, r.Method) })
	require.NoError(t, err, "GET is the default")
}

func TestABodyIsCappedAndSampled(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]struct {
		runes     int
		truncated bool
	}{
		0:                           {0, false},
		egress.MaxSampleRunes:       {egress.MaxSampleRunes, false},
		egress.MaxSampleRunes + 1:   {egress.MaxSampleRunes, true},
		egress.MaxProbeBody + 1:     {egress.MaxSampleRunes, true},
		egress.MaxProbeBody * 4 / 3: {egress.MaxSampleRunes, true},
	} {
		result, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = io.WriteString(w, strings.Repeat("ü", size))
		})
		require.NoError(t, err)
		require.Equal(t, want.runes, utf8.RuneCountInString(result.BodySample), "%d characters", size)
		require.Equal(t, want.truncated, result.BodyTruncated, "%d characters", size)
	}
}

func TestASampleIsTextThatAModelAndPostgresCanTake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body, want string }{
		"control characters":    {"text/plain", "a\x01b\r\nc\td\x7f" + strings.Repeat(".", 100), "ab\nc\td" + strings.Repeat(".", 100)},
		"byte order mark":       {"text/plain", "\ufeffabc", "abc"},
		"broken sequence":       {"text/plain", strings.Repeat("long enough ", 10) + "\xff!", strings.Repeat("long enough ", 10) + "!"},
		"latin 1":               {"text/html; charset=ISO-8859-1", "caf\xe9", "café"},
		"mislabelled latin 1":   {"text/html; charset=ISO-8859-1", "café", "café"},
		"NUL":                   {"text/plain", "a\x00b", "(Not text: text/plain, 3 bytes. The content is not shown.)"},
		"image":                 {"image/png", "\x89PNG\r\n\x1a\n", "(Not text: image/png, 8 bytes. The content is not shown.)"},
		"image that looks text": {"image/gif", "GIF89a", "(Not text: image/gif, 6 bytes. The content is not shown.)"},
		"drawing":               {"image/svg+xml", "<svg/>", "<svg/>"},
		"binary called text":    {"text/plain", "\x80\x81\x82\x83", "(Not text: text/plain, 4 bytes. The content is not shown.)"},
		"hostile content type":  {"image/png\x00; x", "x", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{strings.ReplaceAll(c.contentType, "\x00", " ")}
				_, _ = io.WriteString(w, c.body)
			})
			require.NoError(t, err)
			require.Equal(t, c.want, result.BodySample)
			wire, err := json.Marshal(result)
			require.NoError(t, err)
			require.True(t, utf8.Valid(wire))
			require.NotContains(t, string(wire), `\u0000`)
		})
	}
}

func TestACharacterCutByTheCapIsNotBinary(t *testing.T) {
	t.Parallel()
	result, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "x"+strings.Repeat("€", egress.MaxProbeBody/3+1))
	})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(result.BodySample, "x€€"))
	require.True(t, utf8.ValidString(result.BodySample))
}

func TestHeaderValuesAreBoundedAndPrintable(t *testing.T) {
	t.Parallel()
	result, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Server"] = []string{strings.Repeat("s", 5000)}
		w.Header()["Content-Type"] = []string{"text/plain; x=\xff\xfeend"}
	})
	require.NoError(t, err)
	require.Len(t, result.Headers["server"], 512)
	require.Equal(t, "text/plain; x=end", result.ContentType)
}

func TestABodyThatBreaksOffIsATruncatedResult(t *testing.T) {
	t.Parallel()
	result, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "the beginning")
	})
	require.NoError(t, err)
	require.Equal(t, "the beginning", result.BodySample)
	require.True(t, result.BodyTruncated)
}

func TestAnAnswerThatIsNoHTTPIsAnError(t *testing.T) {
	t.Parallel()
	_, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		_, _ = io.WriteString(conn, "220 mail.example.com ESMTP\r\n")
		_ = conn.Close()
	})
	require.ErrorIs(t, err, egress.ErrUnreachable)
	require.Contains(t, problem.As(err).Detail, "not HTTP")
}

func TestAnEndlessHeaderIsCutOff(t *testing.T) {
	t.Parallel()
	_, err := probe(t, "GET", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		for range 10_000 {
			if _, err := fmt.Fprintf(conn, "X-Filler: %s\r\n", strings.Repeat("x", 100)); err != nil {
				return
			}
		}
	})
	require.ErrorIs(t, err, egress.ErrUnreachable)
}

func TestASilentServerEndsTheProbeAfterItsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := egress.Probe(t.Context(), silentGuard(nil), "http://www.example.com/", "GET")
		require.ErrorIs(t, err, egress.ErrUnreachable)
		require.Contains(t, problem.As(err).Detail, "took too long")
		require.Equal(t, egress.ProbeTimeout, time.Since(start), "by the fake clock of the bubble")
	})
}

// The body of such an answer is the connection, on which no deadline of the request ends a read.
func TestAnAnswerThatSwitchesProtocolsEndsTheProbe(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframes",
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := egress.Probe(t.Context(), silentGuard([]byte(answer)), "http://www.example.com/", "GET")
			require.ErrorIs(t, err, egress.ErrUnreachable)
			require.Contains(t, problem.As(err).Detail, "status 101")
			require.Zero(t, time.Since(start), "nothing is waited for")
		})
	}
}

func TestAStreamThatNeverEndsIsATruncatedResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		result, err := egress.Probe(
			t.Context(),
			silentGuard([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")),
			"http://www.example.com/",
			"GET",
		)
		require.NoError(t, err)
		require.Equal(t, 200, result.Status)
		require.Equal(t, "data: 1\n\n", result.BodySample)
		require.True(t, result.BodyTruncated)
	})
}
