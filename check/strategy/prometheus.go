package strategy

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/check"
	"countersign/internal/problem"
)

// prometheusConfig configures the server to ask.
type prometheusConfig struct {
	URL           string             `json:"url" jsonschema:"minLength=1,maxLength=2048" jsonschema_description:"Where the server is, with the path before /api/v1 if there is one: http:// or https://. Thanos, Mimir and VictoriaMetrics have the same API." check:"template,label=URL"`
	Headers       []httpHeader       `json:"headers,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Headers of the request, such as X-Scope-OrgID" check:"label=Headers"`
	SecretHeaders []httpSecretHeader `json:"secretHeaders,omitempty" jsonschema:"maxItems=10" jsonschema_description:"Headers whose values are secrets" check:"label=Secret headers"`
	Username      string             `json:"username,omitempty" jsonschema:"maxLength=255" jsonschema_description:"User for basic authentication" check:"template,label=User"`
	Password      string             `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password for basic authentication" check:"secret,label=Password"`
	BearerToken   string             `json:"bearerToken,omitempty" jsonschema:"maxLength=16384" jsonschema_description:"Token that is sent as Authorization: Bearer" check:"secret,label=Bearer token"`
	Encryption
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *prometheusConfig) Check() []problem.Issue {
	issues := append(urlIssues("url", c.URL, "http", "https"), c.issues()...)
	if strings.HasPrefix(c.URL, "http://") {
		issues = append(issues, c.without("use https://")...)
	}
	for i, h := range c.Headers {
		issues = append(issues, headerIssues("headers", i, h.Name, h.Value)...)
	}
	for i, h := range c.SecretHeaders {
		issues = append(issues, headerIssues("secretHeaders", i, h.Name, h.Value)...)
	}
	if c.BearerToken != "" && (c.Username != "" || c.Password != "") {
		issues = append(issues, problem.Issue{
			Path: "bearerToken", Message: "cannot be used together with username and password: a request has one Authorization",
		})
	}
	return issues
}

// prometheusQueryConfig is an instant query.
type prometheusQueryConfig struct {
	Query      string `json:"query" jsonschema:"minLength=1,maxLength=4000" jsonschema_description:"A query in PromQL whose value counts now, such as sum(rate(http_requests_total{code=~\"5..\"}[5m]))" check:"template,editor=text,label=Query"`
	AllowEmpty bool   `json:"allowEmpty,omitempty" jsonschema_description:"No series, or a value that is no number, is a result: assert seriesCount. Otherwise the check fails." check:"label=May be empty"`
}

// prometheusQueryResult is the value of a query.
type prometheusQueryResult struct {
	Value          *float64 `json:"value,omitempty" jsonschema_description:"The value, when there is one series or a scalar. A query of several series has maximum and minimum." check:"chart=line,label=Value,keep"`
	Maximum        *float64 `json:"maximum,omitempty" jsonschema_description:"The greatest value of all series" check:"chart=line,label=Maximum"`
	Minimum        *float64 `json:"minimum,omitempty" jsonschema_description:"The least value of all series" check:"chart=line,label=Minimum"`
	SeriesCount    int      `json:"seriesCount" jsonschema_description:"How many series there are" check:"chart=line,label=Series"`
	Series         string   `json:"series" jsonschema_description:"The first 50 series as a JSON array of labels and value, for a JSONPath such as $[0].labels.instance" check:"jsonpath,label=Series with labels"`
	ResultType     string   `json:"resultType" jsonschema_description:"vector or scalar" check:"label=Result type"`
	Warnings       []string `json:"warnings" jsonschema_description:"What the server warns of, such as an answer that lacks a part" check:"label=Warnings"`
	ConnectTimeMs  float64  `json:"connectTimeMs" jsonschema_description:"How long it took until the connection stood" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64  `json:"responseTimeMs" jsonschema_description:"From the request until the whole answer" check:"chart=line,unit=ms,label=Response time"`
	CertificateDays
	cutFields
}

func prometheusStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-prometheus.prometheus", Name: "Prometheus", Category: "Metrics",
			Description: "Asks a Prometheus server, or one with its API, about metrics.",
		},
		openPrometheus, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-prometheus.query", Name: "Prometheus query", Category: "Metrics",
			Description: "The value of a query in PromQL. Assert value against a threshold; a query without a series is a failure of its own.",
			Unjudged: &check.Unjudged{
				Finds: "the value of the query", Example: check.Assertion{Field: "value", Operator: "lessThan", Value: json.RawMessage("90")},
			},
		}, prometheusQuery),
	)
}

func openPrometheus(_ context.Context, run check.Run, c *prometheusConfig) (*webCall, error) {
	base, err := url.Parse(c.URL)
	if err != nil || base.Host == "" {
		return nil, check.Fail(check.NotRunnable, "The URL of this check is not valid.")
	}
	expected, err := c.trust(base.Hostname())
	if err != nil {
		return nil, err
	}
	call := &webCall{run: run, base: base, service: "Prometheus", secured: expected, header: http.Header{}}
	for _, h := range c.Headers {
		call.header.Set(h.Name, h.Value)
	}
	for _, h := range c.SecretHeaders {
		call.header.Set(h.Name, h.Value)
	}
	if credentials := authorization(c.BearerToken, c.Username, c.Password); credentials != "" {
		call.header.Set("Authorization", credentials)
	}
	return call, nil
}

// prometheusAnswer is an answer of the API.
type prometheusAnswer struct {
	Status    string   `json:"status"`
	ErrorType string   `json:"errorType"`
	Error     string   `json:"error"`
	Warnings  []string `json:"warnings"`
	Data      struct {
		ResultType string          `json:"resultType"`
		Result     json.RawMessage `json:"result"`
	} `json:"data"`
}

// prometheusSample is a time and a value, which is a text.
type prometheusSample [2]json.RawMessage

func (s prometheusSample) value() (float64, bool) {
	var text string
	if json.Unmarshal(s[1], &text) != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

type prometheusSeries struct {
	Metric    map[string]string `json:"metric"`
	Value     prometheusSample  `json:"value"`
	Histogram json.RawMessage   `json:"histogram"`
}

// Limits of a result.
const (
	seriesShown   = 50
	warningsShown = 20
)

func prometheusQuery(ctx context.Context, run check.Run, c *webCall, config *prometheusQueryConfig) (*prometheusQueryResult, error) {
	query := url.Values{"query": {config.Query}}
	if most := statementTimeout(ctx, 0); most > 0 {
		query.Set("timeout", strconv.FormatFloat(most.Round(time.Millisecond).Seconds(), 'f', -1, 64))
	}
	a, err := c.get(ctx, "/api/v1/query", query)
	if err != nil {
		return nil, err
	}
	if err := c.refusal(a); err != nil {
		return nil, err
	}
	var answer prometheusAnswer
	if json.Unmarshal(a.body, &answer) != nil || answer.Status == "" {
		return nil, check.Fail(
			check.BadProtocol, "The server at "+c.address()+" does not have the API of Prometheus: it answered with status "+itoa(a.status)+".",
		)
	}
	if answer.Status != "success" {
		return nil, check.Fail(check.WrongAnswer, "Prometheus did not answer the query ("+brief(answer.ErrorType)+"): "+brief(answer.Error)+".")
	}
	r := &prometheusQueryResult{
		ResultType: answer.Data.ResultType, Warnings: []string{}, Series: "[]", CertificateDays: a.certificate.days,
		ConnectTimeMs: milliseconds(a.connected), ResponseTimeMs: milliseconds(a.took),
	}
	for _, w := range answer.Warnings[:min(len(answer.Warnings), warningsShown)] {
		r.Warnings = append(r.Warnings, r.clip("warnings", w, 500))
	}
	if len(answer.Warnings) > warningsShown {
		r.note("only the first "+itoa(warningsShown)+" warnings were looked at", "warnings")
	}
	if err := r.read(answer.Data.ResultType, answer.Data.Result, config.AllowEmpty); err != nil {
		return r, err
	}
	return r, a.certificate.failure(run)
}

// read takes the values of the answer.
func (r *prometheusQueryResult) read(kind string, raw json.RawMessage, allowEmpty bool) error {
	var series []prometheusSeries
	switch kind {
	case "vector":
		if json.Unmarshal(raw, &series) != nil {
			return check.Fail(check.BadProtocol, "The answer of Prometheus has no series in the form of a vector.")
		}
	case "scalar":
		var sample prometheusSample
		if json.Unmarshal(raw, &sample) != nil {
			return check.Fail(check.BadProtocol, "The answer of Prometheus has no value in the form of a scalar.")
		}
		series = []prometheusSeries{{Metric: map[string]string{}, Value: sample}}
	default:
		return check.Fail(
			check.NotRunnable, "The query has a value of the type "+brief(kind)+". A check needs one of now: a vector or a scalar, not a range.",
		)
	}
	r.SeriesCount = len(series)
	type shown struct {
		Labels map[string]string `json:"labels"`
		Value  *float64          `json:"value"`
	}
	list := []shown{}
	numbers := 0
	for _, s := range series {
		v, ok := s.Value.value()
		var number *float64
		if ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
			number = &v
			numbers++
			r.Maximum, r.Minimum = greater(r.Maximum, v), lesser(r.Minimum, v)
		}
		if len(list) < seriesShown {
			list = append(list, shown{s.Metric, number})
		}
	}
	if len(series) > seriesShown {
		r.note("only the first "+itoa(seriesShown)+" series were looked at", "series")
	}
	if len(series) == 1 {
		r.Value = r.Maximum
	}
	document, _ := json.Marshal(list) // numbers are finite
	r.Series = string(document)
	switch {
	case allowEmpty:
		return nil
	case len(series) == 0:
		return check.Fail(check.WrongAnswer, "The query has no series. Either nothing reports the metric, or the labels match none.")
	case numbers < len(series) && len(series) == 1:
		return check.Fail(check.WrongAnswer, "The value of the query is no finite number, such as after a division by zero.")
	case numbers < len(series):
		return check.Fail(check.WrongAnswer, "The values of "+itoa(len(series)-numbers)+" of "+itoa(len(series))+" series are no finite numbers.")
	}
	return nil
}

func greater(a *float64, v float64) *float64 {
	if a == nil || v > *a {
		return &v
	}
	return a
}

func lesser(a *float64, v float64) *float64 {
	if a == nil || v < *a {
		return &v
	}
	return a
}

// Sends implements check.Sender.
func (c *prometheusConfig) Sends() check.Sending {
	s := check.Sending{Reads: true, Lines: []string{"It asks the Prometheus server at " + c.URL + "."}}
	for _, h := range c.Headers {
		s.Lines = append(s.Lines, "With the header "+excerpt(h.Name+": "+h.Value))
	}
	for _, h := range c.SecretHeaders {
		s.Lines = append(s.Lines, "With the header "+excerpt(h.Name+": "+h.Value))
	}
	switch {
	case c.BearerToken != "":
		s.Lines = append(s.Lines, "With the bearer token "+c.BearerToken)
	case c.Username != "" || c.Password != "":
		s.Lines = append(s.Lines, "As "+c.Username+" with the password "+otherwise(c.Password, "(empty)"))
	}
	return unlessLines(s, c.ServerName)
}

// Sends implements check.Sender.
func (c *prometheusQueryConfig) Sends() check.Sending {
	return check.Sending{Reads: true, Lines: []string{"It asks for the value of " + excerpt(c.Query)}}
}
