package app

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/chat/turn"
)

// metrics serves /metrics.
func (a *App) metrics(p *parts) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "countersign", Name: name, Help: help}, value))
	}
	gauge("database_connections", "Open database connections.", func() float64 { return float64(a.db.Stat().TotalConns()) })
	gauge("database_connections_busy", "Database connections in use.", func() float64 { return float64(a.db.Stat().AcquiredConns()) })
	gauge(
		"database_acquire_wait_seconds_total",
		"Time spent waiting for a database connection.",
		func() float64 { return a.db.Stat().AcquireDuration().Seconds() },
	)
	registry.MustRegister(p.toolCalls, p.chatLosses)
	if a.chores != nil {
		registry.MustRegister(a.chores.Collectors()...)
	}
	if a.probes != nil {
		registry.MustRegister(a.probes.engine.Collectors()...)
	}
	if err := p.list.RegisterMetrics(registry); err != nil {
		return nil, err
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), nil
}

// newChatLosses is the counter of losses in chats, with a zero for each kind so that an alert can rely on it.
func newChatLosses() *prometheus.CounterVec {
	losses := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "countersign", Name: "chat_losses_total",
		Help: "Turns in which something of a chat did not reach the model, or of an answer did not reach the person, and failed summaries.",
	}, []string{"kind"})
	for _, kind := range turn.NoticeKinds {
		losses.WithLabelValues(string(kind))
	}
	return losses
}
