package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/problem"
)

// says are the issues of a configuration, one a line.
func says(issues []problem.Issue) []string {
	lines := []string{}
	for _, i := range issues {
		lines = append(lines, i.Path+" "+i.Message)
	}
	return lines
}

func TestWhatIsSaidOfAConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config, request string
		says            []string
	}{
		{`{"host":"a"}`, `{}`, nil},
		{`{"host":"a"}`, ``, nil},
		{`{"host":"{{ environment.host }}","password":"${{ secrets.PAGE }}"}`, `{"headers":[{"name":"Accept","value":"text/plain"}]}`, nil},
		{`{"hots":"a"}`, `{}`, []string{"config.host is required", "config.hots is not known here. Did you mean host? Known are host, password, timeout"}},
		{`{"host":""}`, `{}`, []string{"config.host must not be empty"}},
		{`{"host":null}`, `{}`, []string{"config.host must be a text, not null; leave it out"}},
		{`{"host":5,"timeout":99}`, `{"retries":1.5}`, []string{
			"config.host must be a text, not 5", "config.timeout must be at least 100, not 99", "collectors[0].config.retries must be a whole number, not 1.5",
		}},
		{`{"host":"a"}`, `{"method":"GTE","retries":9}`, []string{
			"collectors[0].config.method must be one of GET, POST. Did you mean GET?", "collectors[0].config.retries must be at most 5, not 9",
		}},
		{`{"host":"a"}`, `{"headers":[{"name":"a","value":"b","vlaue":"c"},{"name":"a"}]}`, []string{
			"collectors[0].config.headers[0].vlaue is not known here. Did you mean value? Known are name, value",
			"collectors[0].config.headers[1].value is required",
		}},
		{`{"host":"` + strings.Repeat("é", 61) + `"}`, `[]`, []string{
			"config.host must have at most 60 characters, not 61", "collectors[0].config must be an object, not a list",
		}},
		{`{"host":"a","host":"b"}`, `{`, []string{
			"config is not valid JSON: the member \"host\" stands twice in one object", "collectors[0].config is not valid JSON: it ends too soon",
		}},
		{`{"host":"a","Host":"b"}`, `{"path":"/never"}`, []string{
			"config is not valid JSON: the member \"Host\" stands twice in one object", "collectors[0].config.path is never there",
		}},
		{`{"host":"a\u0000"}`, `{}`, []string{"config.host has a NUL character"}},

		// Secrets are in secret fields only, and nothing else is in the fields that are for secrets alone.
		{`{"host":"a","password":"correct horse"}`, `{}`, []string{"config.password must be a secret of the vault: write ${{ secrets.NAME }}"}},
		{`{"host":"a"}`, `{"path":"/?token=${{ secrets.TOKEN }}"}`, []string{
			"collectors[0].config.path cannot hold a secret. That is possible in headers[].value",
		}},
		{`{"host":"a","password":"${{ secrets.page }}"}`, `{}`, []string{
			"config.password has something that is no reference to a secret. Write ${{ secrets.NAME }}, with capital letters, digits and underscores",
		}},

		// Templates are in template fields only.
		{`{"host":"a"}`, `{"headers":[{"name":"{{ system.name }}","value":"x"}]}`, []string{
			"collectors[0].config.headers[0].name is no template. {{ }} is possible in path",
		}},
		{`{"host":"{{ enviroment.host }}"}`, `{}`, []string{
			`config.host has {{ without environment., check. or system. behind it. Did you mean environment? To write two braces, write {{ "{{" }} (at character 1)`,
		}},
		{`{"host":"x{{ system.nmae }}"}`, `{}`, []string{
			"config.host names system.nmae, which there is not. Did you mean name? There are system.id, system.name, system.metadata (at character 2)",
		}},
	} {
		r := registry(t, answering(answer{}))
		require.ElementsMatch(t, c.says, says(r.Validate(t.Context(), configuration(c.config, c.request))), "%s %s", c.config, c.request)
	}
}

func TestWhatIsSaidOfAnAssertion(t *testing.T) {
	t.Parallel()
	path := func(field, path, operator, value string) check.Assertion {
		a := assert(field, operator, value)
		a.JSONPath = path
		return a
	}
	numbers := "The operators are equals, notEquals, oneOf, notOneOf, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual, between"
	for _, c := range []struct {
		assertion check.Assertion
		says      string
	}{
		{assert("statusCode", "equals", "200"), ""},
		{path("body", "$.items[0].price", "lessThan", `"10.5"`), ""},
		{assert("statuscode", "equals", "200"), "field is no field of the result. Did you mean statusCode? The fields are statusCode, responseTimeMs, body, names, title, success"},
		{assert("statusCode", "equal", "200"), "operator is no operator for statusCode, which is of type number. Did you mean equals? " + numbers},
		{assert("statusCode", "equals", `"200"`), "value must be a number, such as 200, not a text"},
		{assert("statusCode", "equals", ""), "value is missing: equals needs a number, such as 200"},
		{assert("responseTimeMs", "greaterThan", "3"), "operator is no operator for responseTimeMs, a time in milliseconds. The operators are lessThan, lessThanOrEqual"},
		{assert("success", "isTrue", "true"), "value must be left out: isTrue takes none"},
		{assert("names", "lengthEquals", "-1"), "value must be a whole number, such as 3"},
		{assert("body", "matches", `"a("`), "value is not a regular expression (RE2): missing closing ): `a(`"},
		{path("statusCode", "$.a", "equals", "1"), "jsonPath cannot be used with statusCode, which is no document; it can with body"},
		{path("body", "a.b", "equals", "1"), "jsonPath is no JSONPath such as $.items[0].status: a path begins with $, not with what stands at character 1"},
		{path("body", "$.a", "isTrue", ""), "operator is no operator for what a path finds. The operators are equals, notEquals, oneOf, notOneOf, contains, notContains, startsWith, " +
			"endsWith, matches, notMatches, exists, notExists, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual, between, lengthEquals, lengthGreaterThan, lengthLessThan"},
		{path("body", "$.a", "lessThan", `"many"`), "value must be a number, such as 200, not a text"},
	} {
		want := []string{}
		if c.says != "" {
			want = append(want, "collectors[0].assertions[0]."+c.says)
		}
		r := registry(t, answering(answer{}))
		require.Equal(t, want, says(r.Validate(t.Context(), configuration(`{"host":"a"}`, `{}`, c.assertion))))
	}
}

func TestWhatIsSaidOfAConfigurationAsAWhole(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{}))
	valid := configuration(`{"host":"a"}`, `{}`)
	change := func(does func(*check.Configuration)) check.Configuration {
		c := valid
		c.Collectors = append([]check.Collected(nil), valid.Collectors...)
		does(&c)
		return c
	}
	for _, c := range []struct {
		configuration check.Configuration
		says          []string
	}{
		{valid, []string{}},
		{change(func(c *check.Configuration) { c.Strategy = "page.pgae" }), []string{"strategyId is no strategy. Did you mean page.page? There are page.page"}},
		{change(func(c *check.Configuration) { c.Strategy = "" }), []string{"strategyId is required. There are page.page"}},
		{change(func(c *check.Configuration) { c.Version = 2 }), []string{"configVersion is 2, but page.page is known up to version 1"}},
		{change(func(c *check.Configuration) { c.Collectors = nil }), []string{"collectors must have at least one, such as page.request"}},
		{change(func(c *check.Configuration) { c.Collectors = make([]check.Collected, 21) }), []string{"collectors must be at most 20, not 21"}},
		{
			change(func(c *check.Configuration) {
				c.Collectors[0].CollectorID, c.Config = "page.reqest", json.RawMessage(`{}`)
			}),
			[]string{"collectors[0].collectorId is no collector of page.page. Did you mean page.request? There are page.request", "config.host is required"},
		},
		{change(func(c *check.Configuration) { c.Collectors[0].ID = uuid.Nil }), []string{"collectors[0].id is required: any UUID"}},
		{change(func(c *check.Configuration) { c.Collectors = append(c.Collectors, c.Collectors[0]) }), []string{"collectors[1].id stands there twice"}},
		{
			change(func(c *check.Configuration) { c.Collectors[0].Assertions = many(65) }),
			[]string{"collectors must have at most 64 assertions together, not 65"},
		},
		{change(func(c *check.Configuration) { c.Collectors[0].Assertions = many(64) }), []string{}},
		{change(func(c *check.Configuration) {
			c.Kept = []string{one.String() + ".statusCode", one.String() + ".success"}
		}), []string{}},
		{
			change(func(c *check.Configuration) { c.Kept = []string{one.String() + ".statuscode"} }),
			[]string{fmt.Sprintf("keptFields[0] is nothing of a result that can be kept: a number, or true or false. Did you mean %[1]s.statusCode? "+
				"There are %[1]s.statusCode, %[1]s.responseTimeMs, %[1]s.success", one)},
		},
	} {
		require.ElementsMatch(t, c.says, says(r.Validate(t.Context(), c.configuration)))
	}
}

func many(n int) []check.Assertion {
	all := make([]check.Assertion, n)
	for i := range all {
		all[i] = assert("statusCode", "equals", "200")
	}
	return all
}

func TestATextOfAConfigIsNeverQuoted(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{}))
	const slip = "hunter22hunter22hunter22hunter22hunter22hunter22hunter22hunter22hunter22"
	for _, c := range []check.Configuration{
		configuration(`{"host":"`+slip+`"}`, `{}`), configuration(`{"host":"a","password":"`+slip+`"}`, `{}`),
		configuration(`{"host":"a"}`, `{"method":"`+slip+`"}`), configuration(`{"host":"a","timeout":"`+slip+`"}`, `{}`),
	} {
		issues := r.Validate(t.Context(), c)
		require.NotEmpty(t, issues)
		require.NotContains(t, fmt.Sprint(issues), "hunter22")
	}
}

func TestAConfigOfAnOlderVersionIsBroughtToTheOneOfNow(t *testing.T) {
	t.Parallel()
	type config struct {
		check.Deadline
		Address string `json:"address"`
	}
	type nothing struct{}
	type result struct {
		Found bool `json:"found"`
	}
	rename := func(before, after string) func(json.RawMessage) (json.RawMessage, error) {
		return func(raw json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(strings.Replace(string(raw), before, after, 1)), nil
		}
	}
	r, err := check.NewRegistry(check.NewStrategy(
		check.Kind{
			ID: "host.host", Name: "Host", Description: "A host.",
			Upgrades: []func(json.RawMessage) (json.RawMessage, error){rename(`"server"`, `"host"`), rename(`"host"`, `"address"`)},
		},
		openNothing[config],
		nil,
		check.NewCollector(check.Kind{ID: "host.look", Name: "Look", Description: "Looks."}, collectNothing[nothing, result]),
	))
	require.NoError(t, err)
	for version, config := range map[int]string{0: `{"address":"a"}`, 1: `{"server":"a"}`, 2: `{"host":"a"}`, 3: `{"address":"a"}`} {
		c := check.Configuration{
			Strategy:   "host.host",
			Version:    version,
			Config:     json.RawMessage(config),
			Collectors: []check.Collected{{ID: one, CollectorID: "host.look"}},
		}
		require.Empty(t, r.Validate(t.Context(), c), version)
		upgraded, err := r.Upgrade(c)
		require.NoError(t, err)
		require.Equal(t, 3, upgraded.Version)
		require.Equal(t, 1, upgraded.Collectors[0].Version)
		require.JSONEq(t, `{"address":"a"}`, string(upgraded.Config))
		again, err := r.Upgrade(upgraded)
		require.NoError(t, err)
		require.Equal(t, upgraded, again)
		require.Zero(t, c.Collectors[0].Version, "what was given stays as it is")
	}
	_, err = r.Upgrade(check.Configuration{Strategy: "host.host", Version: 9})
	require.True(t, problem.Is(err, problem.Invalid))
}
