package healthcheck

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/check"
	"countersign/check/health"
	"countersign/check/history"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/healthcheck/healthcheckdb"
)

const (
	metricsPath = "/metrics/checks"
	// maxMeasured bounds the targets and locations of one scrape, and so its cardinality: each has up to nine series.
	maxMeasured = 5000
	// overdueAfter is the number of intervals, and overdueGrace the time beside them, after which a last run says nothing about now.
	overdueAfter = 3
	overdueGrace = time.Minute
)

// targetLabels identify a target, or one of its locations. The names can be equal where the caller may not see environments, its id
// never is.
var targetLabels = []string{"system", "environment", "check", "strategy", "target", "location"}

func targetDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("countersign_check_"+name, help, append(slices.Clone(targetLabels), labels...), nil)
}

var (
	checkUp = targetDesc(
		"up",
		"1 when the last run of a check passed, 0 when it failed. Absent when the run could not be made or the next one is overdue.",
	)
	checkStatus    = targetDesc("status", "1 for the current status of a check, 0 for the other ones.", "status")
	checkSince     = targetDesc("status_since_timestamp_seconds", "Since when a check has its status.")
	checkDuration  = targetDesc("run_duration_seconds", "How long the last run of a check took.")
	checkLastRun   = targetDesc("last_run_timestamp_seconds", "The scheduled time of the last run of a check.")
	checkExpiry    = targetDesc("certificate_expiry_timestamp_seconds", "Until when the certificate is valid that a check over TLS has seen.")
	targetsOmitted = prometheus.NewDesc(
		"countersign_check_targets_omitted",
		"How many targets of checks, or locations of them, the limit of a scrape has left out.",
		nil,
		nil,
	)
)

// measurements is a prometheus.Collector of the states of targets and their last runs.
type measurements struct {
	rows         []healthcheckdb.MeasuredRow
	runs         map[int32]history.Result
	environments bool
}

// measurements reads the states and last runs of the targets that the caller may see. Certificates are results of runs,
// which need the right to see them.
func (s *service) measurements(ctx context.Context) (measurements, error) {
	checks, systems := statusKind.Sight(ctx), s.Systems.Sight(ctx)
	rows, err := healthcheckdb.New(s.DB.CustomPlans(ctx)).Measured(ctx, healthcheckdb.MeasuredParams{
		WithReports:   seesDetails(ctx),
		ByRule:        checks.Every(),
		SubjectType:   checks.SubjectType,
		SubjectID:     checks.SubjectID,
		TeamIds:       checks.TeamIDs,
		SystemsByRule: systems.Every(),
		SystemTeamIds: systems.TeamIDs,
		MaxRows:       maxMeasured,
	})
	if err != nil {
		return measurements{}, fmt.Errorf("read the states of checks: %w", err)
	}
	m := measurements{rows: rows, environments: s.Systems.SeesEnvironments(ctx)}
	ids := make([]int32, 0, len(rows))
	for i := range rows {
		if rows[i].Run != 0 {
			ids = append(ids, rows[i].Run)
		}
	}
	m.runs, err = s.History.Last(ctx, ids)
	return m, err
}

// Describe implements prometheus.Collector.
func (measurements) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{checkUp, checkStatus, checkSince, checkDuration, checkLastRun, checkExpiry, targetsOmitted} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m measurements) Collect(to chan<- prometheus.Metric) {
	omitted := int64(0)
	for i := range m.rows {
		row := &m.rows[i]
		omitted = row.Total - int64(len(m.rows))
		labels := []string{row.SystemName, "", row.CheckName, row.Strategy, strconv.Itoa(int(row.ID)), row.Location}
		if m.environments {
			labels[1] = row.EnvironmentName
		}
		gauge := func(desc *prometheus.Desc, value float64, more ...string) {
			sendGauge(to, desc, value, append(slices.Clone(labels), more...)...)
		}
		current := health.Status(row.Status)
		for _, status := range []health.Status{health.Unknown, health.Healthy, health.Degraded, health.Unhealthy} {
			gauge(checkStatus, truth(status == current), status.String())
		}
		if row.SinceMs > 0 {
			gauge(checkSince, float64(row.SinceMs)/1000)
		}
		if run, ok := m.runs[row.Run]; ok {
			gauge(checkLastRun, float64(run.Slot)/1000)
			gauge(checkDuration, float64(run.TookUS)/1e6)
			overdue := row.NowMs-run.Slot > overdueAfter*int64(row.IntervalMs)+overdueGrace.Milliseconds()
			if !overdue && (run.Verdict == check.Passed || run.Verdict == check.Failed) {
				gauge(checkUp, truth(run.Verdict == check.Passed))
			}
		}
		if until, err := time.Parse(time.RFC3339, row.ValidTo); err == nil {
			gauge(checkExpiry, float64(until.Unix()))
		}
	}
	sendGauge(to, targetsOmitted, float64(omitted))
}

// sendGauge sends a metric, or the error that fails the scrape: a panic in a collector would end the process.
func sendGauge(to chan<- prometheus.Metric, desc *prometheus.Desc, value float64, labels ...string) {
	metric, err := prometheus.NewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	if err != nil {
		metric = prometheus.NewInvalidMetric(desc, err)
	}
	to <- metric
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Mount implements api.Streams.
func (m *Module) Mount(e *echo.Echo) { e.GET(metricsPath, m.scrape) }

func (m *Module) scrape(c echo.Context) error {
	ctx := c.Request().Context()
	p := principal.FromContext(ctx)
	switch missing := p.Missing(StatusRead); {
	case p.IsZero():
		return problem.Errorf(problem.Unauthorized, "Send the token of an application as a bearer token.")
	case len(missing) > 0:
		return problem.MissingRule("scrape the states of health checks", missing...)
	}
	found, err := m.service.measurements(ctx)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(found); err != nil {
		return fmt.Errorf("register the states of checks: %w", err)
	}
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(c.Response(), c.Request())
	return nil
}

// Describe implements api.Streams.
func (*Module) Describe(api huma.API) {
	op := rest.Op(
		"scrape-checks",
		http.MethodGet,
		metricsPath,
		"Scrape the states of health checks as Prometheus metrics",
		rest.Rules(StatusRead),
		rest.Doc(
			"Status, last run, its duration and the expiry of certificates (with "+DetailsRead+
				") of each check of each system that the caller sees.",
		),
	)
	op.Responses = map[string]*huma.Response{
		"200": {
			Description: "Metrics in the text format of Prometheus",
			Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}},
		},
		"default": {
			Description: "A problem document",
			Content: map[string]*huma.MediaType{
				"application/problem+json": {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem.Error](), true, "")},
			},
		},
	}
	api.OpenAPI().AddOperation(&op)
}
