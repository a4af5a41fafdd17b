package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

// received is a post to a receiver of webhooks.
type received struct {
	path, id string
	body     []byte
	at       time.Time
	accepted bool
}

// sink receives webhooks. It keeps the posts, and can refuse all of them for a while.
type sink struct {
	url    string
	server *http.Server

	mu     sync.Mutex
	posts  []received
	broken time.Time
}

func newSink(ctx context.Context) (*sink, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{url: "http://" + l.Addr().String()}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(l) }()
	return s, nil
}

func (s *sink) close() { _ = s.server.Close() }

// ServeHTTP implements http.Handler.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := received{path: r.URL.Path, id: r.Header.Get("Webhook-Id"), body: body, at: time.Now(), accepted: time.Now().After(s.broken)}
	s.posts = append(s.posts, p)
	if !p.accepted {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// breakFor lets it refuse what comes until a time has passed.
func (s *sink) breakFor(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = time.Now().Add(d)
}

// got returns the posts to a path so far.
func (s *sink) got(path string) []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	var got []received
	for _, p := range s.posts {
		if p.path == path {
			got = append(got, p)
		}
	}
	return got
}

// count is the number of accepted posts to a path.
func (s *sink) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, p := range s.posts {
		if p.path == path && p.accepted {
			n++
		}
	}
	return n
}

// until waits for a condition, for a time at most.
func until(ctx context.Context, limit, pause time.Duration, done func() (bool, error)) error {
	for deadline := time.Now().Add(limit); ; pauseFor(ctx, pause) {
		ok, err := done()
		if err != nil || ok {
			return err
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return errors.Join(ctx.Err(), fmt.Errorf("it took more than %s", limit))
		}
	}
}

// hook gives a person a webhook channel.
func (s *stack) hook(ctx context.Context, client *http.Client, url string) (uuid.UUID, error) {
	var channel struct{ ID uuid.UUID }
	err := s.post(ctx, client, "/api/notifications/channels", map[string]any{"kind": "webhook", "name": url, "url": url}, &channel)
	return channel.ID, err
}

// rule says by which channel a person wants to know of something, and when.
type rule struct {
	Channel uuid.UUID `json:"channelId"`
	After   int       `json:"afterSeconds"`
}

func (s *stack) want(ctx context.Context, client *http.Client, rules ...rule) error {
	return exchange(ctx, client, http.MethodPut, s.url+"/api/notifications/preferences", map[string]any{"rules": rules}, nil)
}

// policy adds a default escalation policy that calls the administrator after a while, and again after five minutes.
func (s *stack) policy(ctx context.Context, first time.Duration) error {
	var me struct{ ID uuid.UUID }
	if err := exchange(ctx, s.people[0], http.MethodGet, s.url+"/api/me", nil, &me); err != nil {
		return err
	}
	target := []map[string]any{{"kind": "person", "id": me.ID}}
	return s.post(ctx, s.people[0], "/api/oncall/policies", map[string]any{
		"name": "Bench", "default": true,
		"steps": []map[string]any{
			{"delaySeconds": int(first.Seconds()), "targets": target},
			{"delaySeconds": 300, "targets": target},
		},
	}, nil)
}

// system adds a system to the catalog.
func (s *stack) system(ctx context.Context, name string) (id uuid.UUID, err error) {
	var made struct{ ID uuid.UUID }
	err = s.post(ctx, s.people[0], "/api/catalog/systems", map[string]any{"name": name}, &made)
	return made.ID, err
}

// incident opens an incident.
func (s *stack) incident(ctx context.Context, api, title string, system uuid.UUID) (id uuid.UUID, err error) {
	var made struct{ ID uuid.UUID }
	err = post(ctx, s.people[0], api, "/api/incidents", map[string]any{
		"title": title, "severity": "critical", "systemIds": []uuid.UUID{system},
	}, &made)
	return made.ID, err
}
