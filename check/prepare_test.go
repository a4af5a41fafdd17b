package check_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/secret"
)

// seen runs a configuration and answers what its collector was given.
func seen(t *testing.T, c check.Configuration, secrets map[string]secret.Value) (*pageConfig, *requestConfig) {
	t.Helper()
	var page *pageConfig
	var request *requestConfig
	r := registry(t, func(_ context.Context, _ check.Run, s *session, config *requestConfig) (*answer, error) {
		page, request = s.config, config
		return &answer{}, nil
	})
	p, err := r.Prepare(c, scope(), secrets)
	require.NoError(t, err)
	require.Equal(t, check.Passed, p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Verdict)
	return page, request
}

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	t.Parallel()
	page, request := seen(t, configuration(`{"host":"a"}`, ``), nil)
	require.Zero(t, page.Timeout)
	require.Equal(t, requestConfig{Path: "/", Method: "GET"}, *request)
}

func TestAWholeNumberMayBeWrittenWithAnExponent(t *testing.T) {
	t.Parallel()
	page, request := seen(t, configuration(`{"host":"a","timeout":2.5e3}`, `{"retries":3.0}`), nil)
	require.Equal(t, 2_500, page.Timeout)
	require.Equal(t, 3, request.Retries)
}

func TestTemplatesAndSecretsAreFilledForARun(t *testing.T) {
	t.Parallel()
	page, request := seen(t, configuration(
		`{"host":"{{ environment.host }}","password":"${{ secrets.PAGE }}"}`,
		`{"path":"/{{ system.metadata.region }}/{{ system.metadata.tiers.db }}/{{check.name}}?every={{ check.intervalSeconds }}","headers":[{"name":"a","value":"Bearer ${{ secrets.TOKEN }}"}]}`,
	), map[string]secret.Value{"PAGE": secret.NewValue("correct {{ system.name }}"), "TOKEN": secret.NewValue("abc\"def"), "OTHER": secret.NewValue("none")})
	require.Equal(t, "shop.example.com", page.Host)
	require.Equal(t, "correct {{ system.name }}", page.Password, "what a secret holds is not read again")
	require.Equal(t, "/eu/2/Home page?every=60", request.Path)
	require.Equal(t, `Bearer abc"def`, request.Headers[0].Value)
}

func TestWhyAConfigurationCannotBePrepared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, request string
		cause           check.Cause
		says            string
	}{
		"no secret":   {`{"host":"a","password":"${{ secrets.PAGE }}"}`, `{}`, check.SecretMissing, "The secret PAGE is not there."},
		"no value":    {`{"host":"{{ environment.url }}"}`, `{}`, check.TemplateFailed, "The template of config.host cannot be filled: environment.url has no value."},
		"no text":     {`{"host":"a"}`, `{"path":"{{ system.metadata.tiers }}"}`, check.TemplateFailed, "The template of collectors[0].config.path cannot be filled: system.metadata.tiers is neither a text nor a number."},
		"too long":    {`{"host":"{{ environment.host }}{{ environment.host }}{{ environment.host }}{{ environment.host }}"}`, `{}`, check.NotRunnable, "Filled with the values of the environment and the system, the configuration is not valid: config.host must have at most 60 characters, not 64."},
		"a rule":      {`{"host":"a"}`, `{"path":"{{ environment.path }}"}`, check.NotRunnable, "The configuration is not valid: collectors[0].config.path is never there."},
		"not valid":   {`{"hots":"a"}`, `{}`, check.NotRunnable, "The configuration is not valid: config.host is required; config.hots is not known here. Did you mean host? Known are host, password, timeout."},
		"environment": {`{"host":"{{ environment.tier }}"}`, `{}`, check.TemplateFailed, "The template of config.host cannot be filled: environment.tier has no value."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := registry(t, answering(answer{})).Prepare(configuration(c.config, c.request), scope(), nil)
			var failure *check.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.cause, failure.Cause)
			require.Equal(t, c.says, failure.Message)
			require.False(t, c.cause.AboutTarget())
		})
	}
	without := scope()
	without.Environment = nil
	_, err := registry(t, answering(answer{})).Prepare(configuration(`{"host":"{{ environment.host }}"}`, `{}`), without, nil)
	require.EqualError(
		t,
		err,
		"The template of config.host cannot be filled: environment.host has no value: the check runs without an environment.",
	)
}

func TestASecretIsMaskedWhereverARunShowsIt(t *testing.T) {
	t.Parallel()
	const value = `s3cr"t/value`
	title := "title " + value
	r := registry(t, func(context.Context, check.Run, *session, *requestConfig) (*answer, error) {
		said := &answer{Body: `{"a":"` + value + `"}`, Names: []string{"x", value}, Title: &title}
		return said, check.Fail(check.WrongAnswer, "It said "+value+".")
	})
	c := configuration(
		`{"host":"a","password":"${{ secrets.PAGE }}"}`,
		`{}`,
		assert("title", "contains", `"nothing"`),
		assert("names", "includes", `"y"`),
	)
	compiled, issues := r.Compile(c)
	require.Empty(t, issues)
	require.Equal(t, []string{"PAGE"}, compiled.Secrets())
	p, err := compiled.For(scope(), map[string]secret.Value{"PAGE": secret.NewValue(value)})
	require.NoError(t, err)
	for _, p := range []*check.Prepared{p, p.Draft()} {
		report := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Report()
		raw, err := json.Marshal(report)
		require.NoError(t, err)
		require.NotContains(t, string(raw), "s3cr")
		require.Contains(t, string(raw), "****")
		require.Equal(t, "It said ****.", report.Message)
	}
}

func TestEphemeralFieldsAreInDraftsOnly(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{StatusCode: 200, Body: `{"state":"degraded"}`}))
	whole, inside := assert("body", "contains", `"ok"`), assert("body", "equals", `"ok"`)
	inside.JSONPath = "$.state"
	p, err := r.Prepare(configuration(`{"host":"a"}`, `{}`, whole, inside), scope(), nil)
	require.NoError(t, err)

	report := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Report().Collectors[0]
	require.JSONEq(t, `{"statusCode":200,"responseTimeMs":0,"success":false}`, string(report.Result))
	require.Empty(t, report.Assertions[0].Observed)
	require.JSONEq(t, `"degraded"`, string(report.Assertions[1].Observed), "what a path has found is what the assertion is about")

	draft := p.Draft().Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Report().Collectors[0]
	require.Contains(t, string(draft.Result), `"body":"{\"state\":\"degraded\"}"`)
	require.NotEmpty(t, draft.Assertions[0].Observed)
}

func TestAReportIsBounded(t *testing.T) {
	t.Parallel()
	names := make([]string, 10_000)
	for i := range names {
		names[i] = strings.Repeat("n", 100)
	}
	title := strings.Repeat("é", 100_000)
	r := registry(t, answering(answer{Names: names, Title: &title, Body: strings.Repeat("b", 100_000)}))
	p, err := r.Prepare(configuration(`{"host":"a"}`, `{}`, assert("title", "isEmpty", ""), assert("names", "isEmpty", "")), scope(), nil)
	require.NoError(t, err)
	report := p.Draft().Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Report()
	raw, err := json.Marshal(report)
	require.NoError(t, err)
	require.Less(t, len(raw), 16<<10)
	require.True(t, json.Valid(report.Collectors[0].Result))
}

func TestATemplateHidesNothingThatIsWrongBesideIt(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{}))
	for request, want := range map[string][]string{
		`{"path":"/never","headers":[]}`:                     {"collectors[0].config.path is never there"},
		`{"path":"{{ environment.path }}"}`:                  {},
		`{"path":"{{ environment.path }}","retries":3}`:      {},
		`{"path":"{{ environment.path }}","retries":4}`:      {"collectors[0].config.retries is one too many"},
		`{"retries":4,"headers":[{"name":"a","value":"{"}]}`: {"collectors[0].config.retries is one too many"},
	} {
		require.Equal(t, want, says(r.Validate(t.Context(), configuration(`{"host":"a"}`, request))), request)
	}
}

func TestTargetsShareWhatIsOfNoneOfThem(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{}))
	secrets := map[string]secret.Value{"PAGE": secret.NewValue("first value")}
	of := func(config string, secrets map[string]secret.Value) func() *check.Prepared {
		compiled, issues := r.Compile(configuration(config, `{}`))
		require.Empty(t, issues)
		return func() *check.Prepared {
			p, err := compiled.For(scope(), secrets)
			require.NoError(t, err)
			return p
		}
	}
	plain := of(`{"host":"a","password":"${{ secrets.PAGE }}"}`, secrets)
	before := plain()
	require.Same(t, before, plain())
	secrets["PAGE"] = secret.NewValue("second value")
	after := plain()
	require.NotSame(t, before, after, "a secret has another value now")
	require.Same(t, after, plain())

	templated := of(`{"host":"{{ system.name }}"}`, nil)
	first := templated()
	require.NotSame(t, first, templated())
}

func TestALaneIsTheHostThatIsTalkedTo(t *testing.T) {
	t.Parallel()
	p, err := registry(t, answering(answer{})).Prepare(configuration(`{"host":"{{ environment.host }}","timeout":1500}`, `{}`), scope(), nil)
	require.NoError(t, err)
	require.Equal(t, "shop.example.com", p.Lane())
	require.Equal(t, 1500*time.Millisecond, p.Timeout())
	require.Equal(t, []string{one.String() + ".statusCode", one.String() + ".responseTimeMs"}, p.Kept())
}

func TestAFieldIsForSecretsOrATemplate(t *testing.T) {
	t.Parallel()
	type both struct {
		Text string `json:"text" check:"secret,template"`
	}
	require.PanicsWithValue(
		t,
		"schema of check_test.both.text: a field cannot hold secrets and be a template",
		func() { check.ConfigSchema[both]() },
	)
	type unknown struct {
		Text string `json:"text" check:"sekret"`
	}
	require.Panics(t, func() { check.ConfigSchema[unknown]() })
}

func TestASchemaSaysWhatFormsAndChartsHaveToKnow(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{
		"type": "object", "additionalProperties": false, "required": ["host"],
		"properties": {
			"timeout": {"type": "integer", "minimum": 100, "maximum": 300000, "x-unit": "ms", "x-label": "Timeout",
				"description": "After how many milliseconds a run is given up, at most the interval; when left out, 10,000 or the interval if that is shorter."},
			"host": {"type": "string", "minLength": 1, "maxLength": 60, "x-template": true},
			"password": {"type": "string", "x-secret": true}
		}
	}`, string(check.ConfigSchema[pageConfig]().JSON()))
	require.Contains(t, string(check.ResultSchema[answer]().JSON()), `"x-jsonpath":true`)
}

func TestWhatValidateAcceptsPrepareAccepts(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{}))
	values := map[string]secret.Value{"A": secret.NewValue("value of a"), "B": secret.NewValue("value of b")}
	configs := []string{
		``,
		`{}`,
		`[]`,
		`{"host":"a"}`,
		`{"host":"{{ system.name }}"}`,
		`{"host":"{{ system.nam }}"}`,
		`{"host":"{{"}`,
		`{"host":"${{ secrets.A }}"}`,
		`{"host":"a","password":""}`,
		`{"host":"a","password":"x"}`,
		`{"host":"a","password":"${{ secrets.A }}${{ secrets.B }}"}`,
		`{"host":"a","timeout":1}`,
		`{"host":"a","timeout":1e2}`,
		`{"host":"a","timeout":100.5}`,
		`{"host":"a","HOST":"a"}`,
		`{"Host":"a"}`,
		`nope`,
	}
	requests := []string{
		``,
		`{}`,
		`null`,
		`{"path":"/never"}`,
		`{"path":"{{ check.id }}"}`,
		`{"method":"POST"}`,
		`{"method":"PUT"}`,
		`{"headers":[]}`,
		`{"headers":[{}]}`,
		`{"headers":[{"name":"a","value":"${{ secrets.B }}"}]}`,
		`{"headers":{"a":"b"}}`,
		`{"retries":5}`,
		`{"retries":-1}`,
	}
	assertions := [][]check.Assertion{
		nil,
		{assert("statusCode", "equals", "200")},
		{assert("statusCode", "is", "200")},
		{assert("names", "includes", "null")},
		{assert("x", "equals", "1")},
	}
	var valid int
	for _, config := range configs {
		for _, request := range requests {
			for _, a := range assertions {
				c := configuration(config, request, a...)
				issues := r.Validate(t.Context(), c)
				_, err := r.Prepare(c, scope(), values)
				require.Equal(t, len(issues) == 0, err == nil, "%s %s %v: %v, %v", config, request, a, issues, err)
				if err == nil {
					valid++
				}
			}
		}
	}
	require.Greater(t, valid, 60)
}

func FuzzValidate(f *testing.F) {
	f.Add(
		`{"host":"{{ environment.a }}","password":"${{ secrets.A }}"}`,
		`{"headers":[{"name":"a","value":"b"}]}`,
		"statusCode",
		"equals",
		"200",
		"",
	)
	f.Add(`{"host":"a"}`, `{}`, "body", "matches", `"a.*"`, "$.a[?@.b>1]")
	r := registry(f, answering(answer{StatusCode: 200, Body: `{"a":[{"b":2}]}`}))
	f.Fuzz(func(t *testing.T, config, request, field, operator, value, path string) {
		a := assert(field, operator, value)
		a.JSONPath = path
		c := configuration(config, request, a)
		issues := r.Validate(t.Context(), c)
		names := r.Secrets(c)
		values := map[string]secret.Value{}
		for _, name := range names {
			values[name] = secret.NewValue("value of " + name)
		}
		p, err := r.Prepare(c, scope(), values)
		if len(issues) > 0 {
			require.Error(t, err)
			return
		}
		var failure *check.Failure
		if err != nil {
			require.ErrorAs(t, err, &failure)
			return
		}
		report := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Report()
		_, err = json.Marshal(report)
		require.NoError(t, err)
	})
}

func TestARunEndsBeforeTheNextIsDueUnlessItsTimeoutSaysOtherwise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		interval int
		config   string
		want     time.Duration
	}{
		{60, `{"host":"a"}`, 10 * time.Second},
		{5, `{"host":"a"}`, 5 * time.Second},
		{0, `{"host":"a"}`, 10 * time.Second},
		{60, `{"host":"a","timeout":30000}`, 30 * time.Second},
		{5, `{"host":"a","timeout":30000}`, 30 * time.Second},
	} {
		s := scope()
		s.Check.IntervalSeconds = c.interval
		p, err := registry(t, answering(answer{})).Prepare(configuration(c.config, `{}`), s, nil)
		require.NoError(t, err)
		require.Equal(t, c.want, p.Timeout(), "%s every %d s", c.config, c.interval)
	}
}
