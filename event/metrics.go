package event

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Collectors are the metrics of consumers.
func (o *Operator) Collectors() []prometheus.Collector {
	return []prometheus.Collector{consumerStates{o}}
}

// consumerGauges are the metrics of event consumers.
var consumerGauges = []struct {
	desc *prometheus.Desc
	of   func(State) float64
}{
	{
		consumerGauge("waiting", "Events that a consumer retries, and later ones about the same subjects."),
		func(s State) float64 { return float64(s.Waiting) },
	},
	{
		consumerGauge("parked", "Dead letters: events that a consumer gave up."),
		func(s State) float64 { return float64(s.DeadLetters) },
	},
	{
		consumerGauge("depth", "Events that a consumer has not come to, up to 1,000 in each of its 16 lanes."),
		func(s State) float64 { return float64(s.Depth) },
	},
	{
		consumerGauge("lag_seconds", "Age of the oldest event that a consumer has not handled, dead letters aside."),
		func(s State) float64 { return s.Lag.Seconds() },
	},
	{
		consumerGauge("dispatches", "Workflows that a consumer dispatched and whose start is not confirmed."),
		func(s State) float64 { return float64(s.Dispatches) },
	},
	{
		consumerGauge("absent", "Whether no process runs a consumer: 1 after half an hour without one."),
		func(s State) float64 {
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
type consumerStates struct{ operator *Operator }

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
