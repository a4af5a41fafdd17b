package main

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"
)

// arrivalsPath is where the targets say what has arrived, and begin to count again.
const arrivalsPath = "/arrivals"

// arrived is what has arrived at the targets: the number of runs, and their lag in milliseconds.
type arrived struct {
	Runs          int
	P50, P95, P99 float64
}

// serveArrivals answers each path at once, and records the times of requests.
func serveArrivals(address string, interval time.Duration) error {
	var mu sync.Mutex
	at := map[string][]time.Time{}
	mux := http.NewServeMux()
	mux.HandleFunc(arrivalsPath, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		seen := at
		at = map[string][]time.Time{}
		mu.Unlock()
		_ = json.NewEncoder(w).Encode(lagOf(seen, interval))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		if r.Header.Get("Authorization") != "Bearer "+checkSecret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mu.Lock()
		at[r.URL.Path] = append(at[r.URL.Path], now)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok","version":"1.2.3"}`)
	})
	return (&http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}).ListenAndServe()
}

// lagOf measures how much later than in even intervals requests came to each target. Targets do not know the plan of the monitors: the
// request that came earliest in its interval counts as punctual.
func lagOf(seen map[string][]time.Time, interval time.Duration) arrived {
	var lags []time.Duration
	for _, times := range seen {
		first := times[0]
		deviations := make([]time.Duration, len(times))
		earliest := time.Duration(0)
		for i, t := range times {
			since := t.Sub(first)
			deviations[i] = since - since.Round(interval)
			earliest = min(earliest, deviations[i])
		}
		for _, d := range deviations {
			lags = append(lags, d-earliest)
		}
	}
	return arrived{len(lags), quantile(lags, .5), quantile(lags, .95), quantile(lags, .99)}
}
