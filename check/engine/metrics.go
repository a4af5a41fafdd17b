package engine

import (
	"github.com/prometheus/client_golang/prometheus"

	"countersign/check"
)

type metrics struct {
	runs                                     [4]prometheus.Counter
	gaps                                     *prometheus.CounterVec
	late, flush, acquire                     prometheus.Histogram
	took                                     *prometheus.HistogramVec
	flushErrors, fenced, abandoned, acquired prometheus.Counter
	all                                      []prometheus.Collector
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
			Help:      "Completed check runs, by verdict.",
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
			Help:      "Slots recorded as missed, by reason.",
		},
		[]string{"reason"},
	)
	m.late = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "countersign", Subsystem: "checks", Name: "start_lag_seconds", Help: "Delay between a slot and the start of its run.",
		Buckets: []float64{.005, .01, .015, .02, .03, .05, .075, .1, .15, .25, .5, 1, 2},
	})
	m.flush = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "countersign", Subsystem: "checks", Name: "flush_seconds", Help: "Duration of the transaction that writes results.",
		Buckets: []float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	})
	m.acquire = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "countersign",
		Subsystem: "checks",
		Name:      "take_seconds",
		Help:      "Duration of acquiring a shard: loading its targets and recording gaps.",
		Buckets:   []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	})
	m.took = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "countersign", Subsystem: "checks", Name: "run_seconds", Help: "Duration of check runs, by strategy.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"strategy"})
	m.all = append(m.all, runs, m.gaps, m.late, m.flush, m.acquire, m.took)
	m.flushErrors = counter("flush_failures_total", "Failed attempts to write results.")
	m.fenced = counter("fenced_results_total", "Results dropped by fencing: another process holds their shard.")
	m.abandoned = counter("abandoned_runs_total", "Runs abandoned after their deadline.")
	m.acquired = counter("takeovers_total", "Shards that this process has acquired.")
	gauge := func(name, help string, value func() float64) {
		m.all = append(
			m.all,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "countersign", Subsystem: "checks", Name: name, Help: help}, value),
		)
	}
	gauge("shards_held", "Shards that this process holds.", func() float64 { return float64(e.Stats().Shards) })
	gauge("targets", "Targets whose slots this process runs.", func() float64 { return float64(e.Stats().Targets) })
	gauge("running", "Open runs in the fast lane.", func() float64 { return float64(e.Stats().Fast) })
	gauge("running_slow", "Open runs in the slow lane.", func() float64 { return float64(e.Stats().Slow) })
	gauge("unwritten_results", "Results in memory that are not in the database yet.", func() float64 { return float64(e.Unwritten()) })
	gauge("waiting", "Runs that wait for a concurrency limit.", func() float64 { return float64(e.Stats().Waiting) })
	return m
}

func (m *metrics) run(v check.Verdict) {
	if int(v) < len(m.runs) {
		m.runs[v].Inc()
	}
}

// Collectors are the Prometheus metrics of the engine.
func (e *Engine) Collectors() []prometheus.Collector { return e.metrics.all }
