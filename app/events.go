package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/app/config"
	"countersign/check/history"
	"countersign/event"
)

// events are the outbox and what reads it.
type events struct {
	types    *event.Registry
	outbox   *event.Outbox
	notifier *event.Notifier
	log      *event.Log
	operator *event.Operator
}

// buildEvents makes what tells of events, and what keeps the history of checks.
func (a *App) buildEvents(p *parts) error {
	types, err := event.Standard()
	if err != nil {
		return err
	}
	notifier := event.NewNotifier()
	p.events = events{
		types:    types,
		outbox:   event.NewOutbox(a.db, types),
		notifier: notifier,
		log:      event.NewLog(a.db, types, notifier),
		operator: event.NewOperator(a.db),
	}
	p.history = history.NewReader(a.db, history.ReaderOptions{})
	p.keeper = history.NewKeeper(a.db, a.log, history.KeeperOptions{})
	return nil
}

// buildConsumers makes what gives events to the parts that follow them.
func (a *App) buildConsumers(p *parts) error {
	if !a.works(config.QueueTurns) {
		return nil
	}
	var err error
	a.consumers, err = event.NewRunner(
		event.Options{DB: a.db, Log: a.log, Registry: p.events.types, Notifier: p.events.notifier, Consumers: p.list.Consumers()},
	)
	return err
}

var (
	eventsWaiting = prometheus.NewDesc(
		"countersign_events_waiting",
		"Events that a consumer could not handle and will try again, with those behind them.",
		[]string{"consumer"},
		nil,
	)
	eventsParked = prometheus.NewDesc("countersign_events_parked", "Events that a consumer has given up.", []string{"consumer"}, nil)
)

// consumerStates shows what consumers of events could not handle.
type consumerStates struct{ operator *event.Operator }

// Describe implements prometheus.Collector.
func (consumerStates) Describe(to chan<- *prometheus.Desc) {
	to <- eventsWaiting
	to <- eventsParked
}

// Collect implements prometheus.Collector. A database that does not answer leaves them out.
func (c consumerStates) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	states, err := c.operator.States(ctx)
	if err != nil {
		return
	}
	for _, s := range states {
		to <- prometheus.MustNewConstMetric(eventsWaiting, prometheus.GaugeValue, float64(s.Waiting), s.Consumer)
		to <- prometheus.MustNewConstMetric(eventsParked, prometheus.GaugeValue, float64(s.Parked), s.Consumer)
	}
}
