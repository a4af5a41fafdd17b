// Package channeltest has receivers of notifications for tests: a mail server, and a server that keeps what is posted to
// it.
package channeltest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strconv"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// Letter is a mail that a MailServer has accepted.
type Letter struct {
	From string
	To   []string
	*mail.Message
	Body string
}

// MailServer accepts every mail.
type MailServer struct {
	Host string
	Port int

	mu      sync.Mutex
	letters []Letter
}

// NewMailServer starts one without TLS, on a port of its own.
func NewMailServer(t testing.TB) *MailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // ends with the test
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	m := &MailServer{Host: "127.0.0.1"}
	m.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	server := smtp.NewServer(m)
	server.Domain = "localhost"
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return m
}

// Letters are those that have come so far.
func (m *MailServer) Letters() []Letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Letter{}, m.letters...)
}

// NewSession implements smtp.Backend.
func (m *MailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: m}, nil }

type session struct {
	server *MailServer
	letter Letter
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.letter.From = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.letter.To = append(s.letter.To, to)
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	message, err := mail.ReadMessage(r)
	if err != nil {
		return fmt.Errorf("read a mail: %w", err)
	}
	body, err := io.ReadAll(message.Body)
	if err != nil {
		return fmt.Errorf("read a mail: %w", err)
	}
	s.letter.Message, s.letter.Body = message, string(body)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.letters = append(s.server.letters, s.letter)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.letter = Letter{} }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Post is a request that a Receiver got.
type Post struct {
	Path   string
	Header http.Header
	Body   []byte
	// Status is what it answered; 0 before.
	Status int
}

// Receiver keeps what is posted to it, and answers as a test wants.
type Receiver struct {
	URL string

	mu     sync.Mutex
	posts  []Post
	answer func(n int, w http.ResponseWriter, p Post) int
}

// NewReceiver starts one that accepts everything.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

// Answer sets what the receiver answers to the n-th request, from 0: a status, or 0 after it has written an answer itself.
func (r *Receiver) Answer(answer func(n int, w http.ResponseWriter, p Post) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p := Post{Path: request.URL.Path, Header: request.Header, Body: body}
	r.mu.Lock()
	n, answer := len(r.posts), r.answer
	r.posts = append(r.posts, p)
	r.mu.Unlock()
	if p.Status = http.StatusOK; answer != nil {
		p.Status = answer(n, w, p)
	}
	r.mu.Lock()
	r.posts[n].Status = p.Status
	r.mu.Unlock()
	if p.Status > 0 {
		w.WriteHeader(p.Status)
	}
}

// Posts are those that have come so far.
func (r *Receiver) Posts() []Post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Post{}, r.posts...)
}

// Accepted are the posts that were answered with success.
func (r *Receiver) Accepted() []Post {
	var accepted []Post
	for _, p := range r.Posts() {
		if p.Status >= 200 && p.Status < 300 {
			accepted = append(accepted, p)
		}
	}
	return accepted
}
