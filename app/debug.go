package app

import (
	"context"
	"net/http"
	"net/http/pprof"
	"time"
)

// serveDebug serves profiles on an address of its own until the process drains.
func (a *App) serveDebug() {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Addr: a.config.DebugAddress, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(a.background, func() { _ = server.Close() })
	defer stop()
	if err := server.ListenAndServe(); err != nil && a.background.Err() == nil {
		a.log.Warn("Profiles are not served", "error", err)
	}
}
