package strategy_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress/porttest"
)

// chat is a server of WebSockets; the path says how it behaves.
func chat(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/page":
		_, _ = io.WriteString(w, "no socket here")
		return
	case "/locked":
		if r.Header.Get("Authorization") != "Bearer "+password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	case "/moved":
		http.Redirect(w, r, "https://"+r.Host+"/chat?token=secret", http.StatusFound)
		return
	case "/broken":
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"chat.v2"}})
	if err != nil {
		return
	}
	ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	defer func() { _ = conn.CloseNow() }()
	say := func(text string) { _ = conn.Write(ctx, websocket.MessageText, []byte(text)) }
	switch r.URL.Path {
	case "/policy":
		_ = conn.Close(websocket.StatusPolicyViolation, "who are you")
	case "/leaves":
		say("hello")
		_ = conn.Close(websocket.StatusGoingAway, "restart")
	case "/drops":
	case "/silent":
		_, _, _ = conn.Read(ctx)
	case "/large":
		say(strings.Repeat("x", 2<<20))
	default:
		say(`{"type":"welcome"}`)
		for {
			_, message, err := conn.Read(ctx)
			if err != nil {
				return
			}
			say(`{"type":"tick"}`)
			say(`{"type":"echo","of":"` + string(message) + `"}`)
		}
	}
}

func TestWebsocket(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	plain := strings.Replace(web(t, chat), "http://", "ws://", 1)
	secured := strings.Replace(serving(
		t,
		&http.Server{Handler: http.HandlerFunc(chat)},
		&tls.Config{
			Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)},
			MinVersion:   tls.VersionTLS12,
		},
		"https",
	), "https://", "wss://", 1)
	p := probe{strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange"}
	type exchanged struct {
		Success                       bool
		Message, Subprotocol          string
		Messages, MessageLength       int
		ConnectTimeMs, ResponseTimeMs float64
	}
	for _, url := range []string{plain, secured} {
		var found exchanged
		p := p.with(object{"url": url, "ca": ca.pem, "subprotocols": []string{"chat.v1", "chat.v2"}})
		p.passes(t, &found)
		require.JSONEq(t, `{"type":"welcome"}`, found.Message)
		require.Equal(t, "chat.v2", found.Subprotocol)
		require.Positive(t, found.ConnectTimeMs)
		p.asking(object{"send": "ping", "expect": `"echo"`}).passes(t, &found)
		require.JSONEq(t, `{"type":"echo","of":"ping"}`, found.Message)
		require.Equal(t, 3, found.Messages)
		require.True(t, found.Success)
		p.asking(object{"send": "ping", "expectPattern": `"of":"p.ng"`}).passes(t, &found)
		require.Equal(t, len(found.Message), found.MessageLength)
		p.asking(object{"noAnswer": true}).passes(t, &found)
		require.Zero(t, found.Messages)
	}
	p.with(object{"url": plain + "/locked", "bearerToken": "${{ secrets.PASSWORD }}"}).passes(t, nil)
}

func TestWebsocketTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	plain := strings.Replace(web(t, chat), "http://", "ws://", 1)
	secured := func(c tls.Certificate) string {
		return strings.Replace(serving(t, &http.Server{Handler: http.HandlerFunc(chat)},
			&tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}, "https"), "https://", "wss://", 1)
	}
	exchange := probe{
		strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange", about: object{"send": "hello"},
	}
	certificateTerms(
		t,
		exchange,
		ca,
		object{"skipVerify": true},
		func(_ *testing.T, c tls.Certificate) object { return object{"url": secured(c)} },
	)
	at := func(port int) string { return "ws://known.test:" + strconv.Itoa(port) }
	address := strings.TrimPrefix(plain, "ws://")
	for name, c := range map[string]struct {
		config, about object
		cause         check.Cause
		says          string
	}{
		"refused": {object{"url": at(porttest.Closed(t))}, nil, check.Refused, "the connection was refused."},
		"no such name": {
			object{"url": "ws://missing.test/x"},
			nil, check.NameNotFound,
			"Could not connect to missing.test:80: the name missing.test does not exist.",
		},
		"closed to checks": {object{"url": "ws://169.254.169.254"}, nil, check.EgressRefused, "checks may not reach that address."},
		"says nothing": {
			object{"url": at(reply(t, "", true)), "timeout": 1500},
			nil, check.TimedOut,
			"stood, but the server did not agree to speak WebSocket in time.",
		},
		"closes at once":   {object{"url": at(reply(t, "", false))}, nil, check.Broken, "the connection was interrupted."},
		"another protocol": {object{"url": at(reply(t, "220 mail\r\n", false))}, nil, check.BadProtocol, "does not speak HTTP."},
		"only a page": {
			object{"url": plain + "/page"},
			nil, check.BadProtocol,
			"The server at " + address + " does not open WebSocket connections: it answered with status 200.",
		},
		"redirect": {
			object{"url": plain + "/moved"},
			nil, check.BadProtocol,
			"The server at " + address + " redirects to https://" + address + "/chat with status 302, which a WebSocket connection does not " +
				"follow: use that URL.",
		},
		"TLS wanted": {
			object{"url": strings.Replace(secured(ca.issue(t, "known.test", time.Hour)), "wss://", "ws://", 1)},
			nil, check.BadProtocol, " expects TLS there: use wss://.",
		},
		"TLS alert": {
			object{"url": at(reply(t, "\x15\x03\x01\x00\x02\x02\x16", false))}, nil, check.BadProtocol, " expects TLS there: use wss://.",
		},
		"not admitted": {
			object{"url": plain + "/locked"},
			nil, check.NotAdmitted,
			"The server at " + address + " does not admit this check: it answered with status 401.",
		},
		"server error":      {object{"url": plain + "/broken"}, nil, check.WrongAnswer, "sent status 502 instead of opening a WebSocket connection."},
		"wrong subprotocol": {object{"url": plain, "subprotocols": []string{"chat.v9"}}, nil, check.WrongAnswer, "takes none of the subprotocols that this check offers."},
		"unknown authority": {object{"url": secured(ca.issue(t, "known.test", time.Hour))}, nil, check.BadCertificate, "is signed by an authority that is not known: CN=Test authority; "},
		"expired":           {object{"url": secured(ca.issue(t, "known.test", -time.Hour)), "ca": ca.pem}, nil, check.BadCertificate, " expired on "},
		"other name":        {object{"url": secured(ca.issue(t, "elsewhere.test", time.Hour)), "ca": ca.pem}, nil, check.BadCertificate, " is not for known.test but for elsewhere.test."},
		"no TLS":            {object{"url": strings.Replace(plain, "ws://", "wss://", 1)}, nil, check.BadProtocol, "does not speak TLS"},
		"silent":            {object{"url": plain + "/silent", "timeout": 1500}, nil, check.TimedOut, "The connection to " + address + " stood, but a message did not come in time."},
		"other messages":    {object{"url": plain, "timeout": 1500}, object{"expect": "never"}, check.WrongAnswer, "The expected message did not come in time; others did."},
		"policy":            {object{"url": plain + "/policy"}, nil, check.NotAdmitted, "The server closed the connection with code 1008 (who are you)."},
		"leaves":            {object{"url": plain + "/leaves"}, object{"expect": "never"}, check.WrongAnswer, "The server closed the connection with code 1001 (restart) before the expected message came."},
		"drops": {
			object{"url": plain + "/drops"},
			nil, check.Broken,
			"The connection to " + address + " was interrupted before a message came.",
		},
		"too large": {object{"url": plain + "/large"}, nil, check.WrongAnswer, "is larger than a check takes."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := probe{strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange", config: c.config, about: c.about}
			p.fails(t, c.cause, c.says)
		})
	}
}
