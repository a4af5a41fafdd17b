package app

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"

	"countersign/api/host"
)

// serveDebug serves profiles on an address of its own until the process drains.
func (a *App) serveDebug() {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	if address, _, err := net.SplitHostPort(a.config.DebugAddress); err == nil && !loopback(address) {
		a.log.Warn("Profiles are served to other machines without authentication", "address", a.config.DebugAddress)
	}
	handler := host.New().Guard(fromHere(mux), refuseName())
	server := &http.Server{
		Addr: a.config.DebugAddress, Handler: handler, ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
	stop := context.AfterFunc(a.background, func() { _ = server.Close() })
	defer stop()
	if err := server.ListenAndServe(); err != nil && a.background.Err() == nil {
		a.log.Warn("Profiles not served", "error", err)
	}
}

// fromHere refuses cross-site requests, images included: a profile is expensive.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
			http.Error(w, "This request came from another web site and was refused.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuseName answers requests with an unknown Host header.
func refuseName() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(
			w,
			"This server does not answer to that name. Use the address in COUNTERSIGN_URL, or add the name to COUNTERSIGN_ALLOWED_HOSTS.",
			http.StatusMisdirectedRequest,
		)
	})
}

// loopback reports whether a listen address is reachable from this machine only.
func loopback(address string) bool {
	ip, err := netip.ParseAddr(strings.Trim(address, "[]"))
	return strings.EqualFold(address, "localhost") || err == nil && ip.IsLoopback()
}
