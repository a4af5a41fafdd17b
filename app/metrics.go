package app

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows.
func (a *App) metrics(p *parts) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "countersign", Name: name, Help: help}, value))
	}
	gauge("database_connections", "Open database connections.", func() float64 { return float64(a.db.Stat().TotalConns()) })
	gauge("database_connections_busy", "Database connections in use.", func() float64 { return float64(a.db.Stat().AcquiredConns()) })
	gauge("database_acquire_wait_seconds_total", "Time spent waiting for a database connection.", func() float64 { return a.db.Stat().AcquireDuration().Seconds() })
	registry.MustRegister(p.toolCalls)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
