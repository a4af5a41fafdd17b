package app

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/chat/turn"
	"countersign/internal/store/chore"
)

// metrics serves /metrics.
func (a *App) metrics(p *parts) http.Handler {
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
	registry.MustRegister(p.toolCalls, p.chatLosses, consumerStates{p.events.operator})
	registry.MustRegister(a.notifications.Collectors()...)
	if a.chores != nil {
		registry.MustRegister(choreState{a.chores})
	}
	if a.probes != nil {
		registry.MustRegister(a.probes.engine.Collectors()...)
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
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

var (
	choresHeld = prometheus.NewDesc(
		"countersign_chores_held",
		"1 in the process that does the chores of the installation, 0 in the others.",
		nil,
		nil,
	)
	choreBegan = prometheus.NewDesc(
		"countersign_chore_last_run_timestamp_seconds",
		"When a chore last began, from the process that does the chores.",
		[]string{"chore"},
		nil,
	)
)

// choreState collects the holder of the chore lease and the age of each chore's last run.
type choreState struct{ runner *chore.Runner }

// Describe implements prometheus.Collector.
func (choreState) Describe(to chan<- *prometheus.Desc) {
	to <- choresHeld
	to <- choreBegan
}

// Collect implements prometheus.Collector.
func (c choreState) Collect(to chan<- prometheus.Metric) {
	state := c.runner.State()
	if !state.Holding {
		to <- prometheus.MustNewConstMetric(choresHeld, prometheus.GaugeValue, 0)
		return
	}
	to <- prometheus.MustNewConstMetric(choresHeld, prometheus.GaugeValue, 1)
	for name, began := range state.Began {
		to <- prometheus.MustNewConstMetric(choreBegan, prometheus.GaugeValue, float64(began.UnixMilli())/1000, name)
	}
}
