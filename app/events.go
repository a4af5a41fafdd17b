package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/app/config"
	"countersign/check/history"
	"countersign/event"
)

// events are the outbox and its readers.
type events struct {
	types    *event.Registry
	outbox   *event.Outbox
	notifier *event.Notifier
	log      *event.Log
	operator *event.Operator
	pruner   *event.Pruner
}

// buildEvents constructs the event log and the history of checks.
func (a *App) buildEvents(p *parts) error {
	types, err := event.NewRegistry()
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
		pruner: event.NewPruner(a.db, a.log, func() []string {
			names := []string{}
			for _, c := range p.list.Consumers() {
				names = append(names, c.Name)
			}
			return names
		}),
	}
	p.history = history.NewReader(a.db, history.ReaderOptions{})
	p.keeper = history.NewKeeper(a.db, a.log, history.KeeperOptions{})
	return nil
}

// buildConsumers constructs the runner of event consumers.
func (a *App) buildConsumers(p *parts) error {
	if !a.works(config.QueueTurns) {
		return nil
	}
	var err error
	a.consumers, err = event.NewRunner(event.Options{
		DB: a.db, Log: a.log, Registry: p.events.types, Notifier: p.events.notifier, Consumers: p.list.Consumers(),
		Starter: p.engine.Dispatcher(p.list.Workflows()...),
	})
	return err
}

// consumerGauges are the metrics of event consumers.
var consumerGauges = []struct {
	desc *prometheus.Desc
	of   func(event.State) float64
}{
	{
		consumerGauge("waiting", "Events that a consumer retries, and later ones about the same subjects."),
		func(s event.State) float64 { return float64(s.Waiting) },
	},
	{
		consumerGauge("parked", "Dead letters: events that a consumer gave up."),
		func(s event.State) float64 { return float64(s.DeadLetters) },
	},
	{
		consumerGauge("depth", "Events that a consumer has not come to, up to 1,000 in each of its 16 lanes."),
		func(s event.State) float64 { return float64(s.Depth) },
	},
	{
		consumerGauge("lag_seconds", "Age of the oldest event that a consumer has not handled, dead letters aside."),
		func(s event.State) float64 { return s.Lag.Seconds() },
	},
	{
		consumerGauge("dispatches", "Workflows that a consumer dispatched and whose start is not confirmed."),
		func(s event.State) float64 { return float64(s.Dispatches) },
	},
	{
		consumerGauge("absent", "Whether no process runs a consumer: 1 after half an hour without one."),
		func(s event.State) float64 {
			if s.Absent {
				return 1
			}
			return 0
		},
	},
}

func consumerGauge(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("countersign_events_"+name, help, []string{"consumer"}, nil)
}

// consumerStates collects the progress of event consumers.
type consumerStates struct{ operator *event.Operator }

// Describe implements prometheus.Collector.
func (consumerStates) Describe(to chan<- *prometheus.Desc) {
	for _, g := range consumerGauges {
		to <- g.desc
	}
}

// Collect implements prometheus.Collector. It collects nothing during a database outage.
func (c consumerStates) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	states, err := c.operator.States(ctx)
	if err != nil {
		return
	}
	for _, s := range states {
		for _, g := range consumerGauges {
			to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, g.of(s), s.Consumer)
		}
	}
}
