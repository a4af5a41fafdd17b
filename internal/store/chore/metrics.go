package chore

import "github.com/prometheus/client_golang/prometheus"

// Collectors are the metrics of chores.
func (r *Runner) Collectors() []prometheus.Collector { return []prometheus.Collector{choreState{r}} }

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
type choreState struct{ runner *Runner }

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
