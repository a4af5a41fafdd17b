package strategy_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy/servertest"
	"countersign/internal/egress/porttest"
)

// encoded compresses a text with a writer of a content coding.
func encoded(t testing.TB, text string, coding func(io.Writer) (io.WriteCloser, error)) string {
	var b bytes.Buffer
	w, err := coding(&b)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

var codings = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip":    func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"deflate": func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil },
	"br":      func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriter(w), nil },
	"zstd":    func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
}

// answering serves one body with headers, given as "Name: value".
func answering(t testing.TB, body string, headers ...string) string {
	return web(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Add(name, value)
		}
		_, _ = io.WriteString(w, body)
	})
}

func TestACompressedBodyIsDecodedBeforeAssertions(t *testing.T) {
	t.Parallel()
	const body = `{"status":"UP","text":"hello keyword"}`
	for coding, writer := range codings {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			var found page
			asks(answering(t, encoded(t, body, writer), "Content-Encoding: "+coding)).
				asserting("body", "", "contains", `"keyword"`).asserting("body", "$.status", "equals", `"UP"`).passes(t, &found)
			require.JSONEq(t, body, found.Body)
			require.Equal(t, len(body), found.BodyLength)

			broken := asks(answering(t, "this is not compressed", "Content-Encoding: "+coding))
			if coding == "deflate" { // without its header it can be anything
				broken = asks(answering(t, "\x07\x07\x07", "Content-Encoding: "+coding))
			}
			broken.fails(t, check.BadProtocol, " is not valid "+coding+", as its Content-Encoding says.")
			cut := encoded(t, strings.Repeat(body, 100), writer)
			asks(answering(t, cut[:len(cut)-6], "Content-Encoding: "+coding)).fails(t, check.BadProtocol, " is not valid "+coding)
			asks(answering(t, "", "Content-Encoding: "+coding)).passes(t, nil)
		})
	}
	raw := func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) }
	asks(answering(t, encoded(t, body, raw), "Content-Encoding: deflate")).asserting("body", "$.status", "equals", `"UP"`).passes(t, nil)
	members := encoded(t, body[:20], codings["gzip"]) + encoded(t, body[20:], codings["gzip"])
	for _, padding := range []string{"", "\x00\x00\x00", "more"} {
		asks(answering(t, members+padding, "Content-Encoding: gzip")).asserting("body", "$.status", "equals", `"UP"`).passes(t, nil)
	}
	asks(answering(t, members[:len(members)-3], "Content-Encoding: gzip")).fails(t, check.BadProtocol, "Content-Encoding says: it ends early.")
	twice := encoded(t, encoded(t, body, codings["br"]), codings["gzip"])
	asks(answering(t, twice, "Content-Encoding: br, gzip")).asserting("body", "$.status", "equals", `"UP"`).passes(t, nil)
	asks(answering(t, body, "Content-Encoding: identity")).asserting("body", "$.status", "equals", `"UP"`).passes(t, nil)
	asks(answering(t, body, "Content-Encoding: aes128gcm")).asserting("body", "$.status", "equals", `"UP"`).passes(t, nil)
	// An error may stand in a body that nobody has decoded.
	for _, coding := range []string{"aes128gcm", "gzip, dcb", "br, br, br, br, br, br, br, br"} {
		asks(answering(t, "sealed", "Content-Encoding: "+coding)).asserting("statusCode", "", "equals", "200").passes(t, nil)
		asks(answering(t, "sealed", "Content-Encoding: "+coding)).asserting("body", "", "notContains", `"error"`).
			fails(t, check.AssertionFailed, "was not decoded")
	}

	required := web(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.WriteHeader(http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, encoded(t, body, codings["gzip"]))
	})
	asks(required).asserting("statusCode", "", "equals", "200").asserting("body", "", "contains", `"keyword"`).passes(t, nil)
	plain := object{"headers": []object{{"name": "Accept-Encoding", "value": "identity"}}}
	asks(required).requesting(plain).asserting("statusCode", "", "equals", "406").passes(t, nil)
}

func TestADecompressionBombIsCut(t *testing.T) {
	t.Parallel()
	for coding, writer := range codings {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			var found page
			bomb := encoded(t, strings.Repeat("0", 64<<20), writer)
			asks(answering(t, bomb, "Content-Encoding: "+coding)).passes(t, &found)
			require.Equal(t, 1<<20, found.BodyLength)
			require.True(t, found.BodyTruncated)
		})
	}
}

func TestTheCharsetOfABody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body, found string }{
		"declared":            {"text/html; charset=iso-8859-1", "Gr\xfc\xdfe", "Grüße"},
		"declared in capital": {"text/plain; CHARSET=ISO-8859-15", "5 \xa4", "5 €"},
		"byte order mark":     {"application/json", "\xef\xbb\xbf{}", "{}"},
		"UTF-16":              {"text/plain", "\xff\xfeh\x00i\x00", "hi"},
		"by the page":         {"text/html", "<meta charset=iso-8859-2>\xb1", "<meta charset=iso-8859-2>ą"},
		"UTF-8 without a say": {"text/plain", "Grüße", "Grüße"},
		"no text":             {"application/octet-stream", "a\xff\xff", "a\ufffd"},
		"an unknown charset":  {"text/plain; charset=x-none", "Gr\xfc", "Gr\ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found page
			asks(answering(t, c.body, "Content-Type: "+c.contentType)).passes(t, &found)
			require.Equal(t, c.found, found.Body)
		})
	}
	asks(answering(t, "\xef\xbb\xbf{\"status\":\"UP\"}")).asserting("body", "$.status", "equals", `"UP"`).passes(t, nil)
}

func TestWhatIsCutIsSaid(t *testing.T) {
	t.Parallel()
	long := answering(t, strings.Repeat("x", 3<<20)+"KEYWORD_AT_END")
	asks(long).asserting("body", "", "contains", `"KEYWORD_AT_END"`).
		fails(t, check.AssertionFailed, `Expected body to contain "KEYWORD_AT_END", but only the first 1 MiB was looked at.`)
	many := web(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 1500 {
			w.Header().Set(fmt.Sprintf("X-A%d", i), "0123456789")
		}
		w.Header().Set("X-Z", "yes")
	})
	asks(many).asserting("headers", "$['x-z']", "equals", `"yes"`).
		fails(t, check.AssertionFailed, "finds nothing; the headers were cut after 16 KiB.")

	t.Log("nothing is concluded from what is not in the part that was looked at")
	const part = "but only the first 1 MiB was looked at."
	for _, a := range [][2]string{{"notContains", `"KEYWORD_AT_END"`}, {"notMatches", `"KEYWORD"`}, {"endsWith", `"x"`}} {
		asks(long).asserting("body", "", a[0], a[1]).fails(t, check.AssertionFailed, part)
	}
	for _, a := range [][2]string{{"lessThan", "2000000"}, {"equals", "1048576"}, {"greaterThan", "2000000"}} {
		asks(long).asserting("bodyLength", "", a[0], a[1]).fails(t, check.AssertionFailed, part)
	}
	asks(many).asserting("headers", "$['x-z']", "notExists", "").fails(t, check.AssertionFailed, "the headers were cut after 16 KiB.")
	shown := asks(answering(t, "", "X-Shown: Yes")) // names of headers have no case
	shown.asserting("headers", "$['X-Shown']", "equals", `"Yes"`).passes(t, nil)
	shown.asserting("headers", "$['X-Shown']", "notExists", "").fails(t, check.AssertionFailed, `not to exist, got "Yes".`)
	t.Log("what the part shows is true of the whole")
	asks(long).asserting("body", "", "startsWith", `"xx"`).asserting("body", "", "notEquals", `"x"`).
		asserting("bodyLength", "", "greaterThan", "1000000").asserting("statusCode", "", "lessThan", "300").passes(t, nil)
}

func TestNumbersOfADocumentAreComparedExactly(t *testing.T) {
	t.Parallel()
	at := answering(t, `{"big":12345678901234567890,"list":[1,2,3],"small":0.1}`)
	for _, value := range []string{"12345678901234567890", `"12345678901234567890"`, "1.234567890123456789e19"} {
		asks(at).asserting("body", "$.big", "equals", value).passes(t, nil)
	}
	for _, value := range []string{"12345678901234567891", `"12345678901234567891"`} {
		asks(at).asserting("body", "$.big", "equals", value).fails(t, check.AssertionFailed, "got 12345678901234567890.")
	}
	asks(at).asserting("body", "$.big", "lessThan", "12345678901234567891").passes(t, nil)
	asks(at).asserting("body", "$.small", "equals", "1e-1").asserting("body", "$.small", "between", "[0.1, 0.2]").passes(t, nil)
	asks(at).asserting("body", "$.list", "lengthEquals", "3").passes(t, nil)
	asks(at).asserting("statusCode", "", "in", "[200, 204, 401]").asserting("statusCode", "", "between", "[200, 299]").passes(t, nil)
	asks(at).asserting("statusCode", "", "oneOf", "[204, 401]").
		fails(t, check.AssertionFailed, "Expected statusCode to be one of [204, 401], got 200.")
}

func TestRedirectsOfASignIn(t *testing.T) {
	t.Parallel()
	var closed atomic.Int64
	closed.Store(int64(porttest.Closed(t)))
	other := answering(t, "this is not compressed", "Content-Encoding: gzip")
	at := web(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cookie":
			if c, err := r.Cookie("session"); err == nil && c.Value == "1" {
				_, _ = io.WriteString(w, "logged in")
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
			http.Redirect(w, r, "/cookie", http.StatusFound)
		case "/malformed":
			w.Header().Set("Location", "http://[bad")
			w.WriteHeader(http.StatusFound)
		case "/refused":
			http.Redirect(w, r, fmt.Sprintf("http://known.test:%d/", closed.Load()), http.StatusFound)
		case "/broken":
			http.Redirect(w, r, other, http.StatusFound)
		case "/port":
			w.Header().Set("Location", "http://known.test:99999/in")
			w.WriteHeader(http.StatusFound)
		case "/failing":
			http.Redirect(w, r, "/error?token=secret", http.StatusFound)
		case "/twice":
			http.Redirect(w, r, "/failing", http.StatusFound)
		case "/error":
			w.WriteHeader(http.StatusInternalServerError)
		case "/on":
			http.Redirect(w, r, "/malformed", http.StatusFound)
		case "/hop":
			http.Redirect(w, r, "/refused", http.StatusFound)
		}
	})
	asks(at+"/cookie").asserting("body", "", "contains", `"logged in"`).passes(t, nil)
	asks(at+"/malformed").fails(t, check.BadProtocol, " sends a redirect that is not a valid URL: http://[bad.")
	host := strings.TrimPrefix(at, "http://")
	asks(
		at+"/on",
	).fails(
		t,
		check.BadProtocol,
		"The server at "+host+" sends a redirect that is not a valid URL: http://[bad (after a redirect from ",
	)
	asks(at+"/port").
		fails(t, check.BadProtocol, "The server at "+host+" sends a redirect that is not a valid URL: http://known.test:99999/in.")
	asks(at+"/failing").asserting("statusCode", "", "equals", "200").
		fails(t, check.AssertionFailed, "Expected statusCode = 200, got 500 (after a redirect to "+at+"/error).")
	asks(at+"/twice").asserting("statusCode", "", "equals", "200").
		fails(t, check.AssertionFailed, "Expected statusCode = 200, got 500 (after a redirect, the last of 2, to "+at+"/error).")
	says := fmt.Sprintf("Could not connect to known.test:%d: the connection was refused (after a redirect from %s).", closed.Load(), host)
	asks(at+"/refused").fails(t, check.Refused, says)
	asks(at+"/hop").fails(t, check.Refused, says)
	asks(at+"/broken").fails(t, check.BadProtocol, "The body that "+strings.TrimPrefix(other, "http://")+" answers with is not valid gzip")
}

// A cookie of one run is not sent by the next.
func TestCookiesEndWithTheRun(t *testing.T) {
	t.Parallel()
	var carried atomic.Int64
	at := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			if len(r.Cookies()) > 0 {
				carried.Add(1)
			}
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
			http.Redirect(w, r, "/in", http.StatusFound)
		}
	})
	prepared, host := prepare(t, asks(at)), here(t)
	for range 3 {
		require.Equal(t, check.Passed, prepared.Run(t.Context(), host, 1, time.Now()).Verdict)
	}
	require.Zero(t, carried.Load())
}

func TestMalformedChunksAreNoBrokenConnection(t *testing.T) {
	t.Parallel()
	at := servertest.Servers["chunks malformed"].Start(t)
	asks(fmt.Sprintf("http://known.test:%d", at)).fails(t, check.BadProtocol, "has malformed chunks.")
}

// clocked is a host whose clock is ahead.
func clocked(t testing.TB) (*check.Host, *atomic.Int64) {
	host, ahead := here(t), &atomic.Int64{}
	host.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	return host, ahead
}

// A server may keep a connection for as long as it likes. What a new connection would show has to be seen all the same.
func TestAKeptConnectionHidesNothing(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	for name, protocols := range map[string][]string{"HTTP/1.1": {"http/1.1"}, "HTTP/2": {"h2", "http/1.1"}} {
		t.Run("an expired certificate, "+name, func(t *testing.T) {
			t.Parallel()
			u := serving(t, &http.Server{Handler: handler}, &tls.Config{
				Certificates: []tls.Certificate{ca.issue(t, "known.test", 10*time.Second)}, MinVersion: tls.VersionTLS12, NextProtos: protocols,
			}, "https")
			host, ahead := clocked(t)
			prepared := prepare(t, asks(u).with(object{"ca": ca.pem}))
			outcome := prepared.Run(t.Context(), host, 1, time.Now())
			require.Equal(t, check.Passed, outcome.Verdict, outcome.Report().Message)
			ahead.Store(int64(11 * time.Second))
			outcome = prepared.Run(t.Context(), host, 1, time.Now())
			require.Equal(t, check.BadCertificate, outcome.Cause, outcome.Report().Message)
			require.Contains(t, outcome.Report().Message, "expired on")
		})
	}
	t.Run("an expired certificate, through a proxy", func(t *testing.T) {
		t.Parallel()
		u := serving(t, &http.Server{Handler: handler}, &tls.Config{
			Certificates: []tls.Certificate{ca.issue(t, "known.test", 10*time.Second)}, MinVersion: tls.VersionTLS12,
		}, "https")
		proxy, _ := forwards(t, "")
		host, ahead := clocked(t)
		prepared := prepare(t, asks(u).with(object{"ca": ca.pem, "proxyUrl": proxy}))
		require.Equal(t, check.Passed, prepared.Run(t.Context(), host, 1, time.Now()).Verdict)
		ahead.Store(int64(11 * time.Second))
		require.Equal(t, check.BadCertificate, prepared.Run(t.Context(), host, 1, time.Now()).Cause)
	})
	t.Run("another certificate", func(t *testing.T) {
		t.Parallel()
		var shown atomic.Pointer[tls.Certificate]
		first, second := ca.issue(t, "known.test", time.Hour), newAuthority(t).issue(t, "known.test", time.Hour)
		shown.Store(&first)
		u := serving(t, &http.Server{Handler: handler}, &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return shown.Load(), nil },
		}, "https")
		host, ahead := clocked(t)
		prepared := prepare(t, asks(u).with(object{"ca": ca.pem}))
		require.Equal(t, check.Passed, prepared.Run(t.Context(), host, 1, time.Now()).Verdict)
		shown.Store(&second)
		ahead.Store(int64(31 * time.Second))
		require.Equal(t, check.BadCertificate, prepared.Run(t.Context(), host, 1, time.Now()).Cause, "no session is resumed")
	})
	t.Run("a closed port", func(t *testing.T) {
		t.Parallel()
		listener := listen(t)
		server := &http.Server{Handler: handler}
		ended := make(chan struct{})
		go func() { _ = server.Serve(unclosed{listener, ended}) }()
		t.Cleanup(func() { _ = server.Close() })
		t.Cleanup(func() { close(ended) })
		host, ahead := clocked(t)
		prepared := prepare(t, asks(fmt.Sprintf("http://known.test:%d", port(listener.Addr()))))
		require.Equal(t, check.Passed, prepared.Run(t.Context(), host, 1, time.Now()).Verdict)
		require.NoError(t, listener.Close())
		for _, after := range []int64{5, 15, 29} {
			ahead.Store(after * int64(time.Second))
			require.Equal(t, check.Passed, prepared.Run(t.Context(), host, 1, time.Now()).Verdict, "the connection is kept")
		}
		for _, after := range []int64{31, 36, 41} {
			ahead.Store(after * int64(time.Second))
			require.Equal(t, check.Refused, prepared.Run(t.Context(), host, 1, time.Now()).Cause)
		}
	})
}

// unclosed is a listener whose end leaves the server and its connections running.
type unclosed struct {
	net.Listener

	ended <-chan struct{}
}

// Accept implements net.Listener.
func (u unclosed) Accept() (net.Conn, error) {
	conn, err := u.Listener.Accept()
	if err != nil {
		<-u.ended // the server does not notice
	}
	return conn, err
}

func TestChecksOfLongIntervalsOpenAConnectionEachTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		interval int
		config   object
		opened   int64
	}{
		"5 s": {5, nil, 1}, "29 s": {29, nil, 1}, "30 s": {30, nil, 3}, "a minute": {60, nil, 3},
		"a minute, kept": {60, object{"freshConnection": false}, 1}, "5 s, fresh": {5, object{"freshConnection": true}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opened atomic.Int64
			server := &http.Server{
				Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
				ConnState: func(_ net.Conn, s http.ConnState) {
					if s == http.StateNew {
						opened.Add(1)
					}
				},
			}
			p := asks(serving(t, server, nil, "http")).with(c.config)
			p.scope = check.Scope{Check: check.CheckScope{IntervalSeconds: c.interval}}
			prepared, host := prepare(t, p), here(t)
			for range 3 {
				require.Equal(t, check.Passed, prepared.Run(t.Context(), host, 1, time.Now()).Verdict)
			}
			require.Equal(t, c.opened, opened.Load())
		})
	}
}
