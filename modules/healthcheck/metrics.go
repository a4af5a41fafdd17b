package healthcheck

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/check"
	"countersign/check/health"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/healthcheck/healthcheckdb"
)

const (
	metricsPath = "/metrics/checks"
	// maxMeasured bounds the targets and locations of one scrape, and so its cardinality: each has up to nine series.
	maxMeasured = 5000
	dayMs       = 86_400_000
)

// targetLabels identify a target, or one of its locations. The names can be equal where the caller may not see environments, its id
// never is.
var targetLabels = []string{"system", "environment", "check", "strategy", "target", "location"}

func targetDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("countersign_check_"+name, help, append(append([]string{}, targetLabels...), labels...), nil)
}

var (
	checkUp       = targetDesc("up", "1 when the last run of a check passed, 0 when it failed. Absent when it could not be made.")
	checkStatus   = targetDesc("status", "1 for the current status of a check, 0 for the other ones.", "status")
	checkSince    = targetDesc("status_since_timestamp_seconds", "Since when a check has its status.")
	checkDuration = targetDesc("run_duration_seconds", "How long the last run of a check took.")
	checkLastRun  = targetDesc("last_run_timestamp_seconds", "The scheduled time of the last run of a check.")
	checkExpiry   = targetDesc("certificate_expiry_timestamp_seconds", "Until when the certificate is valid that a TLS check has seen.")
	checksOmitted = prometheus.NewDesc(
		"countersign_checks_omitted",
		"How many targets of checks, or locations of them, the limit of a scrape has left out.",
		nil,
		nil,
	)
)

// measurements are the states of targets in one snapshot, as a collector.
type measurements struct {
	rows         []healthcheckdb.MeasuredRow
	environments bool
}

// measurements reads the states of the targets that the caller sees. Certificates are results of runs, which need the
// right to see them.
func (s *service) measurements(ctx context.Context, p principal.Principal) (measurements, error) {
	now, err := s.DB.Now(ctx)
	if err != nil {
		return measurements{}, fmt.Errorf("read the time: %w", err)
	}
	checks, systems := statusKind.Sight(ctx), s.Systems.Sight(ctx)
	today := now.UnixMilli() / dayMs
	rows, err := healthcheckdb.New(s.DB.CustomPlans(ctx)).Measured(ctx, healthcheckdb.MeasuredParams{
		WithReports:   len(p.Missing(DetailsRead)) == 0,
		PartA:         today % reportPartitions,
		PartB:         (today - 1) % reportPartitions,
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
	return measurements{rows, s.Systems.SeesEnvironments(ctx)}, nil
}

// reportPartitions is the number of partitions of check_reports, by day.
const reportPartitions = 36

// Describe implements prometheus.Collector.
func (measurements) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{checkUp, checkStatus, checkSince, checkDuration, checkLastRun, checkExpiry, checksOmitted} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m measurements) Collect(to chan<- prometheus.Metric) {
	omitted := int64(0)
	for _, row := range m.rows {
		omitted = row.Total - int64(len(m.rows))
		labels := []string{row.SystemName, "", row.CheckName, row.Strategy, strconv.Itoa(int(row.ID)), row.Location}
		if m.environments {
			labels[1] = row.EnvironmentName
		}
		gauge := func(desc *prometheus.Desc, value float64, more ...string) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, append(append([]string{}, labels...), more...)...)
		}
		current := health.Status(row.Status)
		for _, status := range []health.Status{health.Unknown, health.Healthy, health.Degraded, health.Unhealthy} {
			gauge(checkStatus, truth(status == current), status.String())
		}
		if row.SinceMs > 0 {
			gauge(checkSince, float64(row.SinceMs)/1000)
		}
		if row.Slot > 0 {
			gauge(checkLastRun, float64(row.Slot)/1000)
			gauge(checkDuration, float64(row.TookUs)/1e6)
			if verdict := check.Verdict(row.Verdict); verdict == check.Passed || verdict == check.Failed {
				gauge(checkUp, truth(verdict == check.Passed))
			}
		}
		if until, err := time.Parse(time.RFC3339, row.ValidTo); err == nil {
			gauge(checkExpiry, float64(until.Unix()))
		}
	}
	to <- prometheus.MustNewConstMetric(checksOmitted, prometheus.GaugeValue, float64(omitted))
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
		return problem.MissingRule("see how health checks fare", missing...)
	}
	found, err := m.service.measurements(ctx, p)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(found); err != nil {
		return fmt.Errorf("register the states of checks: %w", err)
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(c.Response(), c.Request())
	return nil
}

// Describe implements api.Streams.
func (*Module) Describe(api huma.API) {
	op := rest.Op(
		"scrape-checks",
		"GET",
		metricsPath,
		"Scrape the states of health checks as Prometheus metrics",
		rest.Rules(StatusRead),
		rest.Doc(
			"Status, last run, its duration and the expiry of certificates (with "+DetailsRead+") of each check of each system that the caller sees.",
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
