package engine

import (
	"github.com/prometheus/client_golang/prometheus"

	"countersign/check"
)

type metrics struct {
	runs                                      [4]prometheus.Counter
	gaps                                      *prometheus.CounterVec
	late, flush, take                         prometheus.Histogram
	took                                      *prometheus.HistogramVec
	flushErrors, fenced, abandoned, takeovers prometheus.Counter
	all                                       []prometheus.Collector
}

func newMetrics(e *Engine) *metrics {
	m := &metrics{}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "countersign", Subsystem: "checks", Name: name, Help: help})
		m.all = append(m.all, c)
		return c
	}
	runs := prometheus.NewCounterVec(
		prometheus.CounterOpts{
			Namespace: "countersign",
			Subsystem: "checks",
			Name:      "runs_total",
			Help:      "Runs of checks that have ended, by verdict.",
		},
		[]string{"verdict"},
	)
	for verdict, name := range []string{"passed", "failed", "errored", "skipped"} {
		m.runs[verdict] = runs.WithLabelValues(name)
	}
	m.gaps = prometheus.NewCounterVec(
		prometheus.CounterOpts{
			Namespace: "countersign",
			Subsystem: "checks",
			Name:      "missed_slots_total",
			Help:      "Slots of checks that were recorded as missed, by reason.",
		},
		[]string{"reason"},
	)
	m.late = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "countersign", Subsystem: "checks", Name: "start_lag_seconds", Help: "How long after its slot a run began.",
		Buckets: []float64{.005, .01, .015, .02, .03, .05, .075, .1, .15, .25, .5, 1, 2},
	})
	m.flush = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "countersign", Subsystem: "checks", Name: "flush_seconds", Help: "How long the transaction with the results took.",
		Buckets: []float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	})
	m.take = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "countersign",
		Subsystem: "checks",
		Name:      "take_seconds",
		Help:      "How long taking a shard took, with its targets and what its holder before had missed.",
		Buckets:   []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	})
	m.took = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "countersign", Subsystem: "checks", Name: "run_seconds", Help: "How long runs of checks took, by strategy.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"strategy"})
	m.all = append(m.all, runs, m.gaps, m.late, m.flush, m.take, m.took)
	m.flushErrors = counter("flush_failures_total", "Attempts to write results that have failed.")
	m.fenced = counter("fenced_results_total", "Results that were dropped because another process had taken their shard over.")
	m.abandoned = counter("abandoned_runs_total", "Runs that were given up because they did not end at their deadline.")
	m.takeovers = counter("takeovers_total", "Shards that this process has begun to hold.")
	gauge := func(name, help string, value func() float64) {
		m.all = append(
			m.all,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "countersign", Subsystem: "checks", Name: name, Help: help}, value),
		)
	}
	gauge("shards_held", "Shards that this process holds.", func() float64 { return float64(e.Stats().Shards) })
	gauge("targets", "Targets whose slots this process runs.", func() float64 { return float64(e.Stats().Targets) })
	gauge("running", "Runs under way in the fast lane.", func() float64 { return float64(e.Stats().Fast) })
	gauge("running_slow", "Runs under way in the slow lane.", func() float64 { return float64(e.Stats().Slow) })
	gauge("unwritten_results", "Results that are kept until the database takes them.", func() float64 { return float64(e.Unwritten()) })
	gauge("waiting", "Runs that wait for a place.", func() float64 { return float64(e.Stats().Waiting) })
	return m
}

func (m *metrics) run(v check.Verdict) {
	if int(v) < len(m.runs) {
		m.runs[v].Inc()
	}
}

// Collectors are the metrics of the engine.
func (e *Engine) Collectors() []prometheus.Collector { return e.metrics.all }
