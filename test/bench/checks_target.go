package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// serveTargets serves the probed endpoints: one answers at once, one always times out.
func serveTargets(quick, hanging string) error {
	fast := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+checkSecret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok","version":"1.2.3"}`)
	})
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	})
	failed := make(chan error, 2)
	for address, handler := range map[string]http.Handler{quick: fast, hanging: slow} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		go func() { failed <- (&http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}).Serve(l) }()
	}
	return <-failed
}

// serveCheckFloor probes n targets, each once in an interval, without assertions beyond the response, history or
// claims. On shutdown it reports the lateness of its probes.
func serveCheckFloor(url string, n int, interval time.Duration) error {
	client := &http.Client{
		Transport: &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, DisableCompression: true},
		Timeout:   5 * time.Second,
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var mu sync.Mutex
	var late []time.Duration
	work := make(chan time.Time)
	probe := func(slot time.Time) {
		mu.Lock()
		late = append(late, time.Since(slot))
		mu.Unlock()
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
		if err != nil {
			return
		}
		request.Header.Set("Authorization", "Bearer "+checkSecret)
		response, err := client.Do(request)
		if err != nil {
			return
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
		if response.StatusCode != http.StatusOK || !strings.Contains(string(body), `"ok"`) {
			fmt.Fprintln(os.Stderr, "the floor got", response.Status)
		}
	}
	next, between := time.Now(), interval/time.Duration(n)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(len(late), spread(late))
			return nil
		case now := <-tick.C:
			for ; next.Before(now); next = next.Add(between) {
				select {
				case work <- next:
				default:
					go func(slot time.Time) {
						probe(slot)
						for slot := range work {
							probe(slot)
						}
					}(next)
				}
			}
		}
	}
}
