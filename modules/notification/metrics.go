package notification

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	waitingDesc = prometheus.NewDesc(
		"countersign_notification_waiting", "Deliveries that wait, by kind of channel.", []string{"kind"}, nil)
	lagDesc = prometheus.NewDesc(
		"countersign_notification_lag_seconds", "How long the oldest delivery of a kind of channel has been due.", []string{"kind"}, nil)
)

// depth collects how much waits.
type depth struct{ *service }

// Describe implements prometheus.Collector.
func (depth) Describe(to chan<- *prometheus.Desc) {
	to <- waitingDesc
	to <- lagDesc
}

// Collect implements prometheus.Collector. It collects nothing during a database outage.
func (d depth) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	rows, err := d.queries(ctx).Depth(ctx)
	if err != nil {
		return
	}
	for _, r := range rows {
		to <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(r.Waiting), r.ChannelKind)
		to <- prometheus.MustNewConstMetric(lagDesc, prometheus.GaugeValue, r.LagSeconds, r.ChannelKind)
	}
}
