package strategy_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
)

// metrics answers queries as Prometheus does.
func metrics(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/base/api/v1/query" {
		http.NotFound(w, r)
		return
	}
	if user, given, ok := r.BasicAuth(); ok && (user != "watcher" || given != password) || r.Header.Get("X-Scope-Orgid") == "closed" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	vector := func(series ...string) {
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(series, ","))
	}
	one := func(instance, value string) string {
		return fmt.Sprintf(`{"metric":{"instance":%q},"value":[1700000000.1,%q]}`, instance, value)
	}
	switch query := r.URL.Query().Get("query"); query {
	case "up":
		vector(one("a:9090", "1"))
	case "load":
		vector(one("a:9090", "0.5"), one("b:9090", "2.25"), one("c:9090", "1e1"))
	case "nothing":
		vector()
	case "nan":
		vector(one("a:9090", "NaN"))
	case "some":
		vector(one("a:9090", "+Inf"), one("b:9090", "1"))
	case "scalar":
		_, _ = fmt.Fprint(w, `{"status":"success","data":{"resultType":"scalar","result":[1700000000,"42"]},"warnings":["a part is missing"]}`)
	case "range":
		_, _ = fmt.Fprint(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
	case "huge":
		_, _ = fmt.Fprint(w, `{"status":"success","data":"`+strings.Repeat("x", 2<<20)+`"}`)
	case "slow":
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprint(w, `{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}`)
	default:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"1:3: parse error: unexpected <eof>"}`)
	}
}

func prometheus(url, query string) probe {
	return probe{
		strategy: "healthcheck-prometheus.prometheus", collector: "healthcheck-prometheus.query",
		config: object{"url": url}, about: object{"query": query},
	}
}

func TestAPrometheusQueryHasAValue(t *testing.T) {
	t.Parallel()
	at := web(t, metrics) + "/base/"
	var found struct {
		Value, Maximum, Minimum       *float64
		SeriesCount                   int
		Series, ResultType            string
		Warnings                      []string
		ConnectTimeMs, ResponseTimeMs float64
	}
	prometheus(at, "up").asserting("value", "", "equals", "1").passes(t, &found)
	require.JSONEq(t, `[{"labels":{"instance":"a:9090"},"value":1}]`, found.Series)
	require.Positive(t, found.ConnectTimeMs)
	require.Positive(t, found.ResponseTimeMs)
	prometheus(at, "scalar").asserting("value", "", "greaterThan", "41").passes(t, &found)
	require.Equal(t, []string{"a part is missing"}, found.Warnings)
	found.Value = nil
	prometheus(at, "load").passes(t, &found)
	require.Nil(t, found.Value, "which of three is not said")
	require.Equal(t, []float64{0.5, 10}, []float64{*found.Minimum, *found.Maximum})
	prometheus(at, "load").asserting("maximum", "", "lessThan", "9").
		fails(t, check.AssertionFailed, "Expected maximum < 9, got 10.")
	prometheus(at, "load").asserting("series", "$[1].labels.instance", "equals", `"b:9090"`).passes(t, nil)
	prometheus(at, "load").asserting("value", "", "lessThan", "9").fails(t, check.AssertionFailed, "Expected value < 9")
}

func TestAPrometheusQueryWithoutAValueIsAFailureOfItsOwn(t *testing.T) {
	t.Parallel()
	at := web(t, metrics) + "/base"
	prometheus(at, "nothing").asserting("seriesCount", "", "equals", "0").fails(t, check.WrongAnswer, "The query has no series.")
	prometheus(at, "nan").fails(t, check.WrongAnswer, "is no finite number")
	prometheus(at, "some").fails(t, check.WrongAnswer, "The values of 1 of 2 series are no finite numbers.")
	allowed := prometheus(at, "nothing")
	allowed.about["allowEmpty"] = true
	allowed.asserting("seriesCount", "", "equals", "0").passes(t, nil)
	prometheus(at, "range").fails(t, check.NotRunnable, "a vector or a scalar, not a range")
	prometheus(at, "(").fails(t, check.WrongAnswer, "Prometheus did not answer the query (bad_data): 1:3: parse error: unexpected <eof>.")
	prometheus(at, "slow").fails(t, check.WrongAnswer, "(timeout): query timed out")
	prometheus(at, "huge").fails(t, check.WrongAnswer, "larger than a check takes")
	prometheus(web(t, metrics), "up").fails(t, check.BadProtocol, "does not have the API of Prometheus: it answered with status 404.")
}

func TestPrometheusLetsInWhoHasThePassword(t *testing.T) {
	t.Parallel()
	p := prometheus(web(t, metrics)+"/base", "up").with(object{"username": "watcher", "password": "${{ secrets.PASSWORD }}"})
	p.passes(t, nil)
	p.with(object{"username": "stranger"}).fails(t, check.NotAdmitted, "does not admit this check: it answered with status 401.")
	p.with(object{"headers": []object{{"name": "X-Scope-OrgID", "value": "closed"}}}).fails(t, check.NotAdmitted, "status 401")
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	require.Contains(t, messages(t, registry, p.with(object{"bearerToken": "${{ secrets.PASSWORD }}"})), "one Authorization")
	require.Contains(t, messages(t, registry, p.with(object{"url": "prometheus:9090"})), "must begin with http:// or https://")
	require.Contains(t, messages(t, registry, p.with(object{"clientCertificate": "x"})), "belong together")
}

func TestCertificatesOfPrometheus(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	wrongCertificates(t, ca, func(t *testing.T, c tls.Certificate) probe {
		config := &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
		return prometheus(serving(t, &http.Server{Handler: http.HandlerFunc(metrics)}, config, "https")+"/base", "up")
	})
	wanted := &tls.Config{
		Certificates: []tls.Certificate{
			ca.issue(t, "known.test", 100*60*60*1e9),
		},
		MinVersion: tls.VersionTLS12,
		ClientAuth: tls.RequireAnyClientCert,
	}
	p := prometheus(serving(t, &http.Server{Handler: http.HandlerFunc(metrics)}, wanted, "https")+"/base", "up").with(object{"ca": ca.pem})
	p.fails(t, check.NotAdmitted, "does not take the client certificate of this check, or asks for one")
	shown := shownCertificate(t, ca)
	p.secrets = map[string]string{"KEY": shown.key}
	p.with(object{"clientCertificate": shown.certificate, "clientKey": "${{ secrets.KEY }}"}).passes(t, nil)
}
