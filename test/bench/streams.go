package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// streams measures the latency of events over HTTP, as browsers receive them: from a model's token to the client of a
// chat, and from another user's change to the pages that show it. The product runs as two processes: answers are read
// from the process that writes them and from the other one, and changes are made at one and followed at the other. The
// floor is the same loop in plain Go that stores nothing.
func streams(ctx context.Context, s *stack, o options) error {
	second, err := s.another("api")
	if err != nil {
		return err
	}
	defer second.stop()
	if err := second.ready(ctx); err != nil {
		return err
	}
	fmt.Print("\n## Token to client, 300 ms to the first token, then tokens at 33 ms\n\n")
	fmt.Println("| answers at once | read from | lost | token to client p50 / p95 / p99 ms | p95 to that of the floor |")
	fmt.Println("|--:|---|--:|--:|--:|")
	tokens := 300
	if o.quick {
		tokens = 90
	}
	for _, at := range o.clients {
		if err := tokensToClients(ctx, s, second, at, tokens); err != nil {
			return err
		}
	}
	fmt.Print("\n## A change by another to the page that shows it\n\n")
	fmt.Println("| open streams | target | changes | heard p50 / p95 / most ms | read again p50 / p95 / most ms |")
	fmt.Println("|--:|---|--:|--:|--:|")
	changes := 60
	if o.quick {
		changes = 15
	}
	for _, readers := range []int{2, 50, 200} {
		if err := changesToPages(ctx, s, second, readers, changes); err != nil {
			return err
		}
	}
	return nil
}

// tokensToClients has answers written at once by the floor, by the product, and by the product for readers at its other process.
func tokensToClients(ctx context.Context, s *stack, second *other, at, tokens int) error {
	elsewhere := func(ctx context.Context, person int, script string, keep bool) (sample, error) {
		return s.turnAt(ctx, second.url, person, script, keep)
	}
	var floorP95 float64
	for _, of := range []struct {
		name string
		ask  ask
	}{{"floor", s.floorTurn}, {"the process that writes", s.turn}, {"the other process", elsewhere}} {
		c, err := burst(ctx, s, of.ask, at, tokens)
		if err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
		lags := c.lags()
		p95 := quantile(lags, .95)
		ratio := ""
		if of.name == "floor" {
			floorP95 = p95
		} else if floorP95 > 0 {
			ratio = fmt.Sprintf("%.0f", p95/floorP95)
		}
		fmt.Printf("| %d | %s | %d | %.1f / %.1f / %.1f | %s |\n", at, of.name, c.errors, quantile(lags, .5), p95, quantile(lags, .99), ratio)
	}
	return nil
}

// heard is when a reader got an event, and when it had read the record again.
type heard struct{ told, read time.Time }

// watcher is one browser with its stream of changes.
type watcher struct {
	mu   sync.Mutex
	seen map[string]heard
	// rereads says that a page of the browser shows what changes, so that it is read again.
	rereads bool
}

// pages are the addresses at which changes are made and followed.
type pages struct {
	events string
	client *http.Client
	// change makes one and returns what it is about.
	change func(ctx context.Context) (id string, err error)
	// read is where the thing is read again.
	read func(id string) string
}

func changesToPages(ctx context.Context, s *stack, second *other, readers, changes int) error {
	admin := s.people[0]
	product := pages{
		events: second.url + "/api/events", client: admin, read: func(id string) string { return second.url + "/api/catalog/groups/" + id },
		change: func(ctx context.Context) (string, error) {
			var made struct{ ID string }
			err := s.post(ctx, admin, "/api/catalog/groups", map[string]string{"name": "Bench " + uuid.NewString()}, &made)
			return made.ID, err
		},
	}
	plain := pages{
		events: s.floorURL + "/events", client: admin, read: func(id string) string { return s.floorURL + "/thing?id=" + id },
		change: func(ctx context.Context) (string, error) {
			id := uuid.NewString()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.floorURL+"/change?id="+id, nil)
			if err != nil {
				return "", err
			}
			response, err := admin.Do(request)
			if err != nil {
				return "", err
			}
			return id, response.Body.Close()
		},
	}
	for _, of := range []struct {
		name  string
		pages pages
	}{{"floor", plain}, {"product, two processes", product}} {
		told, read, err := of.pages.measure(ctx, readers, changes)
		if err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
		fmt.Printf("| %d | %s | %d | %.0f / %.0f / %.0f | %.0f / %.0f / %.0f |\n", readers, of.name, changes,
			quantile(told, .5), quantile(told, .95), quantile(told, 1), quantile(read, .5), quantile(read, .95), quantile(read, 1))
	}
	return nil
}

// rereading is how many of the browsers show what changes.
const rereading = 2

// measure opens the streams and makes changes at moments that are independent of the product's polling. Times count
// from the change request, and so include the change itself. A change that a reader does not receive within five
// seconds is an error.
func (p pages) measure(ctx context.Context, readers, changes int) (told, read []time.Duration, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	watchers := make([]*watcher, readers)
	opened := make(chan error, readers)
	for i := range watchers {
		watchers[i] = &watcher{seen: map[string]heard{}, rereads: i < rereading}
		go func() {
			if err := watchers[i].open(ctx, p, opened); err != nil {
				opened <- err
			}
		}()
	}
	for range watchers {
		if err := <-opened; err != nil {
			return nil, nil, fmt.Errorf("open a stream: %w", err)
		}
	}
	for range changes {
		time.Sleep(time.Duration(100+rand.IntN(400)) * time.Millisecond)
		begun := time.Now()
		id, err := p.change(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range watchers {
			of, err := w.await(id, begun.Add(5*time.Second))
			if err != nil {
				return nil, nil, err
			}
			told = append(told, of.told.Sub(begun))
			if w.rereads {
				read = append(read, of.read.Sub(begun))
			}
		}
	}
	return told, read, nil
}

func (w *watcher) await(id string, until time.Time) (heard, error) {
	for time.Now().Before(until) {
		w.mu.Lock()
		of, ok := w.seen[id]
		w.mu.Unlock()
		if ok && (!w.rereads || !of.read.IsZero()) {
			return of, nil
		}
		time.Sleep(time.Millisecond)
	}
	return heard{}, errors.New("a change was not heard of within five seconds")
}

// open follows the stream until it ends. It says on opened when the first event has come; an error is why none has.
func (w *watcher) open(ctx context.Context, p pages, opened chan<- error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.events, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	lines := bufio.NewScanner(response.Body)
	begun := false
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		if !begun {
			begun = true
			opened <- nil
		}
		var event struct{ ID string }
		if json.Unmarshal(data, &event) == nil && event.ID != "" {
			w.hear(ctx, p, event.ID)
		}
	}
	if !begun {
		return errors.New("the stream ended before it said anything")
	}
	return nil
}

func (w *watcher) hear(ctx context.Context, p pages, id string) {
	of := heard{told: time.Now()}
	if w.rereads {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.read(id), nil)
		if err != nil {
			return
		}
		response, err := p.client.Do(request)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return
		}
		of.read = time.Now()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, again := w.seen[id]; !again {
		w.seen[id] = of
	}
}

// plainEvents tells everybody who listens what has changed, and keeps nothing.
type plainEvents struct {
	mu      sync.Mutex
	readers map[chan string]bool
}

func (e *plainEvents) follow(w http.ResponseWriter, r *http.Request) {
	mine := make(chan string, 64)
	e.mu.Lock()
	if e.readers == nil {
		e.readers = map[chan string]bool{}
	}
	e.readers[mine] = true
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		delete(e.readers, mine)
		e.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	_, _ = fmt.Fprint(w, "event: reset\ndata: {}\n\n")
	_ = control.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case id := <-mine:
			_, _ = fmt.Fprintf(w, "event: record\ndata: {\"id\":%q}\n\n", id)
			_ = control.Flush()
		}
	}
}

func (e *plainEvents) change(_ http.ResponseWriter, r *http.Request) {
	id := strings.Clone(r.URL.Query().Get("id"))
	e.mu.Lock()
	defer e.mu.Unlock()
	for reader := range e.readers {
		select {
		case reader <- id:
		default:
		}
	}
}
