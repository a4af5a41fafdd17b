package check_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/problem"
)

// The kinds of these tests: a web page whose answer stands in its config.
type (
	pageConfig struct {
		check.Deadline
		Host     string `json:"host" check:"template" jsonschema:"minLength=1,maxLength=60"`
		Password string `json:"password,omitempty" check:"secret"`
	}
	requestConfig struct {
		Path    string   `json:"path,omitempty" jsonschema:"default=/,maxLength=100" check:"template"`
		Method  string   `json:"method,omitempty" jsonschema:"enum=GET,enum=POST,default=GET"`
		Headers []header `json:"headers,omitempty" jsonschema:"maxItems=2"`
		Retries int      `json:"retries,omitempty" jsonschema:"minimum=0,maximum=5"`
	}
	header struct {
		Name  string `json:"name"`
		Value string `json:"value" check:"secret,literal"`
	}
	answer struct {
		StatusCode int      `json:"statusCode" check:"label=Status code,keep"`
		TimeMS     float64  `json:"responseTimeMs" check:"unit=ms,chart=line,keep"`
		Body       string   `json:"body" check:"jsonpath,ephemeral"`
		Names      []string `json:"names,omitempty"`
		Title      *string  `json:"title,omitempty"`
		Success    bool     `json:"success"`
	}
	session struct{ config *pageConfig }
)

func (a *answer) Code() int16 { return int16(a.StatusCode) }

func (c *requestConfig) Check() []problem.Issue {
	var issues []problem.Issue
	if c.Path == "/never" || strings.Contains(c.Path, "{{") {
		issues = append(issues, problem.Issue{Path: "path", Message: "is never there"})
	}
	if c.Retries == 4 {
		issues = append(issues, problem.Issue{Path: "retries", Message: "is one too many"})
	}
	return issues
}

// collect is what the request collector of a test does.
type collect = func(ctx context.Context, run check.Run, s *session, config *requestConfig) (*answer, error)

func answering(a answer) collect {
	return func(context.Context, check.Run, *session, *requestConfig) (*answer, error) { return &a, nil }
}

func registry(t testing.TB, does collect) *check.Registry {
	t.Helper()
	open := func(_ context.Context, _ check.Run, c *pageConfig) (*session, error) { return &session{c}, nil }
	r, err := check.NewRegistry(check.NewStrategy(
		check.Kind{ID: "page.page", Name: "Page", Description: "A page of the web."}, open, nil,
		check.NewCollector(check.Kind{ID: "page.request", Name: "Request", Description: "Asks for it."}, does),
	))
	require.NoError(t, err)
	return r
}

var one = uuid.MustParse("0199aa00-0000-7000-8000-000000000001")

func configuration(config, request string, assertions ...check.Assertion) check.Configuration {
	return check.Configuration{
		Strategy: "page.page", Config: json.RawMessage(config),
		Collectors: []check.Collected{{ID: one, CollectorID: "page.request", Config: json.RawMessage(request), Assertions: assertions}},
	}
}

func assert(field, operator, value string) check.Assertion {
	a := check.Assertion{Field: field, Operator: operator}
	if value != "" {
		a.Value = json.RawMessage(value)
	}
	return a
}

func scope() check.Scope {
	return check.Scope{
		Check:  check.CheckScope{ID: one, Name: "Home page", IntervalSeconds: 60},
		System: check.SystemScope{ID: one, Name: "Shop", Metadata: map[string]any{"region": "eu", "tiers": map[string]any{"db": 2}}},
		Environment: &check.EnvironmentScope{
			ID: one, Name: "production", Fields: map[string]any{"host": "shop.example.com", "path": "/never"},
		},
	}
}

func run(t testing.TB, r *check.Registry, c check.Configuration) check.Outcome {
	t.Helper()
	p, err := r.Prepare(c, scope(), nil)
	require.NoError(t, err)
	return p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(60_000))
}

func openNothing[C any](context.Context, check.Run, *C) (struct{}, error) { return struct{}{}, nil }

func collectNothing[C, R any](context.Context, check.Run, struct{}, *C) (*R, error) {
	return new(R), nil
}
