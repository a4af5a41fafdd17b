package expression_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/automation/expression"
	"countersign/internal/problem"
)

func scope() expression.Scope {
	return expression.Prepare(expression.Scope{
		Trigger: json.RawMessage(`{"event":"incident.created","id":"t1","subject":"s1","time":"2026-03-01T10:00:00Z","payload":{
			"incidentId":"i1","title":"Payments are down","severity":"critical","latencyMs":450.5,"count":12345678,"none":null,
			"tags":["a","b"],"systems":[{"id":"s1","up":true},{"id":"s2","up":false}],"odd-name":1}}`),
		Artifacts:  json.RawMessage(`{"create":{"incident":{"incidentId":"i9"}}}`),
		Var:        json.RawMessage(`{"n":3,"text":"x"}`),
		Repeat:     json.RawMessage(`{"index":2,"item":{"name":"disk"}}`),
		Health:     json.RawMessage(`{"system":{"status":"degraded"},"systems":{"s1":{"status":"healthy"}}}`),
		Automation: json.RawMessage(`{"id":"a1","runId":"r1"}`),
		Now:        time.Date(2026, 3, 1, 10, 5, 0, 0, time.UTC),
	})
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`trigger.payload.title`:                  `"Payments are down"`,
		`trigger.payload.count`:                  `12345678`,
		`string(trigger.payload.count)`:          `"12345678"`,
		`"n=" + string(1.5)`:                     `"n=1.5"`,
		`trigger.payload.latencyMs + 1`:          `451.5`,
		`1 + 1.5`:                                `2.5`,
		`5 / 2`:                                  `2.5`,
		`6 / 2`:                                  `3`,
		`7 % 4`:                                  `3`,
		`var.n * 2 - 1`:                          `5`,
		`trigger.payload["odd-name"]`:            `1`,
		`trigger.payload.none`:                   `null`,
		`health.systems[trigger.subject].status`: `"healthy"`,
		`artifacts.create.incident.incidentId`:   `"i9"`,
		`repeat.item.name + "-" + string(repeat.index)`: `"disk-2"`,
		`automation.runId`:              `"r1"`,
		`now`:                           `"2026-03-01T10:05:00Z"`,
		`now - timestamp(trigger.time)`: `"5m0s"`,
		`now.getHours("Europe/Berlin")`: `11`,
		`trigger.payload.systems.filter(s, s.up).map(s, s.id)`:      `["s1"]`,
		`trigger.payload.systems.exists(s, s.id == "s2" && !s.up)`:  `true`,
		`trigger.payload.systems.all(s, s.up)`:                      `false`,
		`{"a": var.n, "b": [1, null]}`:                              `{"a":3,"b":[1,null]}`,
		`trigger.payload.tags.join(", ")`:                           `"a, b"`,
		`"a,b".split(",")`:                                          `["a","b"]`,
		`" Ä ".trim().lowerAscii()`:                                 `"ä"`,
		`trigger.payload.title.replace("down", "up")`:               `"Payments are up"`,
		`"größer".substring(0, 3)`:                                  `"grö"`,
		`"short".substring(2, 99)`:                                  `"ort"`,
		`"größer".indexOf("ß")`:                                     `3`,
		`math.round(2.5) + math.greatest(1, 2.5)`:                   `5.5`,
		`trigger.payload.title.matches("^Pay.*down$")`:              `true`,
		`has(trigger.payload.title)`:                                `true`,
		`has(trigger.payload.missing.deep.er)`:                      `false`,
		`has(trigger.payload["missing"].deep)`:                      `false`,
		`has(trigger.payload.title) ? trigger.payload.title : "-"`:  `"Payments are down"`,
		`has(trigger.payload.owner) && trigger.payload.owner == ""`: `false`,
		`!has(trigger.payload.owner) || trigger.payload.owner == 1`: `true`,
		`json(trigger.payload.tags)`:                                `"[\"a\",\"b\"]"`,
		`"<&>"`:                                                     `"<&>"`,
		"// a comment\nvar.n":                                       `3`,
	} {
		got, err := expression.Value(t.Context(), text, scope())
		require.NoError(t, err, text)
		require.JSONEq(t, want, string(got), text)
	}
}

func TestErrorsNameThePath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`trigger.payload.sytem == "x"`:                      "trigger.payload.sytem does not exist",
		`trigger.payload.sytem.name == "x"`:                 "trigger.payload.sytem",
		`artifacts.other.incident.id`:                       "artifacts.other",
		`trigger.payload.none.x == 1`:                       "trigger.payload.none is null, so it has no x",
		`trigger.payload.tags[7]`:                           "trigger.payload.tags[7] does not exist",
		`event.payload.x == 1`:                              "event.payload",
		`trigger.payload.missing || true`:                   "trigger.payload.missing does not exist",
		`true && trigger.payload.missing`:                   "trigger.payload.missing does not exist",
		`trigger.payload.missing == 1 || true`:              "trigger.payload.missing does not exist",
		`trigger.payload.missing == 1 && false`:             "trigger.payload.missing does not exist",
		`trigger.payload.systems.exists(s, s.down || true)`: "there is no down",
		`trigger.payload.title + 1`:                         "trigger.payload.title is a text",
		`trigger.payload.count && true`:                     "its values do not fit together (trigger.payload.count is a number)",
		`sytem.name`:                                        "the name sytem does not exist",
		`1 / 0`:                                             "division by zero",
		`now + 1`:                                           "do not fit together",
		`nofunction(1)`:                                     "nofunction",
		`"x".matches("(")`:                                  "regular expression is wrong",
		`"x".matches("((a{100}){100}){100}")`:               "regular expression",
	} {
		_, err := expression.Value(t.Context(), text, scope())
		p := problem.As(err)
		require.Equal(t, problem.Invalid, p.Code, "%s: %v", text, err)
		require.Contains(t, p.Detail, want, text)
		require.NotContains(t, p.Detail, "_v_")
	}
}

func TestTextsThatAreNoExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                               "empty",
		`  `:                             "empty",
		`trigger.payload.x ==`:           "not complete",
		`trigger.payload.x = 1`:          "write == to compare",
		`{{ trigger.payload.x }}`:        "without {{ and }}",
		`trigger.id == "{{ var.x }}"`:    "without {{ and }}",
		`a b`:                            "does not belong here",
		`_v_.x`:                          "not known",
		`"open`:                          "does not belong here",
		strings.Repeat("(", 1000):        "",
		strings.Repeat("!", 1000) + "x":  "",
		strings.Repeat("x", 4001):        "at most 4000 characters",
		"\xff":                           "UTF-8",
		strings.Repeat("[", 500) + "x":   "",
		"x" + strings.Repeat(".a", 1900): "",
	} {
		_, err := expression.Bool(t.Context(), text, scope())
		require.Equal(t, problem.Invalid, problem.As(err).Code, "%.50s: %v", text, err)
		require.Contains(t, problem.As(err).Detail, want, "%.50s", text)
	}
}

func TestAConditionIsTrueOrFalse(t *testing.T) {
	t.Parallel()
	ok, err := expression.Bool(t.Context(), `health.system.status in ["degraded", "unhealthy"]`, scope())
	require.NoError(t, err)
	require.True(t, ok)
	_, err = expression.Bool(t.Context(), `health.system.status`, scope())
	require.Contains(t, problem.As(err).Detail, "true or false, and gives a text")
}

func TestNumbersAndLists(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{`trigger.payload.latencyMs`: 450.5, `var.n`: 3, `duration("90s")`: 90} {
		got, ok, err := expression.Number(t.Context(), text, scope())
		require.NoError(t, err)
		require.True(t, ok)
		require.InDelta(t, want, got, 0)
	}
	for _, text := range []string{`trigger.payload.none`, `var.text`, `true`} {
		_, ok, err := expression.Number(t.Context(), text, scope())
		require.NoError(t, err)
		require.False(t, ok, text)
	}
	list, err := expression.List(t.Context(), `trigger.payload.systems.map(s, s.id)`, scope())
	require.NoError(t, err)
	require.Equal(t, []json.RawMessage{json.RawMessage(`"s1"`), json.RawMessage(`"s2"`)}, list)
	_, err = expression.List(t.Context(), `trigger.payload`, scope())
	require.Contains(t, problem.As(err).Detail, "has to give a list, and gives an object")
}

func TestExplainShowsWhatAConditionSaw(t *testing.T) {
	t.Parallel()
	seen := expression.Explain(t.Context(),
		`trigger.payload.latencyMs > 500 && health.systems[trigger.subject].status == "degraded" && var.n > now.getHours() ||
		 trigger.payload.systems.exists(s, s.id == var.text) || has(trigger.payload.owner)`, scope())
	raw, err := json.Marshal(seen)
	require.NoError(t, err)
	require.JSONEq(t, `{"trigger.payload.latencyMs":450.5,"health.systems.s1.status":"healthy","trigger.subject":"s1","var.n":3,
		"now":"2026-03-01T10:05:00Z","trigger.payload.systems":[{"id":"s1","up":true},{"id":"s2","up":false}],"var.text":"x"}`, string(raw))
}

func TestTemplatesInAConfig(t *testing.T) {
	t.Parallel()
	filled, err := expression.Fill(
		t.Context(),
		json.RawMessage(`{"count":"{{ trigger.payload.count }}","list":["{{var.n}}",{"deep":"a {{ var.n }} b {{ trigger.payload.tags }}"}],
		"plain":1.50,"big":12345678901234567890,"secret":"${{ secrets.KEY }}","brace":"{{ {\"a\": {\"b\": \"}}\"}} }}","null":"{{ trigger.payload.none }}!",
		"html":"<{{ trigger.payload.title }}>"}`),
		scope(),
	)
	require.NoError(t, err)
	require.JSONEq(t, `{"count":12345678,"list":[3,{"deep":"a 3 b [\"a\",\"b\"]"}],"plain":1.50,"big":12345678901234567890,
		"secret":"${{ secrets.KEY }}","brace":{"a":{"b":"}}"}},"null":"null!","html":"<Payments are down>"}`, string(filled))
	require.Contains(t, string(filled), "12345678901234567890", "numbers stay exact")

	for config, want := range map[string]string{
		`{"a":"{{ trigger.payload.nothing }}"}`: "trigger.payload.nothing does not exist",
		`{"a":"{{ var.n"}`:                      "has no }}",
	} {
		_, err := expression.Fill(t.Context(), json.RawMessage(config), scope())
		require.Contains(t, problem.As(err).Detail, want)
	}
}

// A payload from outside must not name a secret, neither as a whole nor in pieces that become one.
func TestAValueCannotBecomeAPlaceholderOfASecret(t *testing.T) {
	t.Parallel()
	s := expression.Scope{
		Trigger: json.RawMessage(
			`{"payload":{"a":"${{ secrets.KEY }}","dollar":"$","rest":"{{ secrets.KEY }}","o":{"x":["${{ secrets.KEY }}"]}}}`,
		),
	}
	for _, config := range []string{
		`{"url":"{{ trigger.payload.a }}"}`, `{"url":"https://x/{{ trigger.payload.a }}"}`, `{"url":"{{ trigger.payload.o }}"}`,
		`{"url":"{{ trigger.payload.dollar }}{{ trigger.payload.rest }}"}`, `{"url":"${{ secrets.A }}{{ trigger.payload.a }}"}`,
	} {
		_, err := expression.Fill(t.Context(), json.RawMessage(config), s)
		require.Contains(t, problem.As(err).Detail, "Only the definition itself may name secrets", config)
	}
}

func TestHostileExpressionsEnd(t *testing.T) {
	t.Parallel()
	list := "[" + strings.Repeat("1,", 500) + "1]"
	double := `var.text`
	for range 20 {
		double = "[" + double + "].map(x, x + x)[0]"
	}
	for _, text := range []string{
		list + `.map(a, ` + list + `.map(b, ` + list + `.map(c, a + b + c)))`,
		`"` + strings.Repeat("a", 1000) + `".replace("", "` + strings.Repeat("b", 1000) + `").replace("", "` + strings.Repeat("c", 1000) + `")`,
		double + `.size() + ` + list + `.map(a, ` + list + `.map(b, 1)).size()`,
		`"` + strings.Repeat("a", 3000) + `".matches("(a*)*(a*)*(a*)*b") || ` + `"a".matches("((((a{30}){30}){30}){30})")`,
	} {
		started := time.Now()
		_, err := expression.Value(t.Context(), text, scope())
		if err != nil {
			require.Equal(t, problem.Invalid, problem.As(err).Code, "%v", err)
		}
		require.Less(t, time.Since(started), 5*time.Second, "%.60s", text)
	}
	// A variable that grows in a loop reaches its bound.
	s := expression.Scope{Var: json.RawMessage(`{"x":"` + strings.Repeat("x", 40_000) + `"}`)}
	_, err := expression.Value(t.Context(), `var.x + var.x`, s)
	require.Contains(t, problem.As(err).Detail, "at most 65536 bytes")
}

func TestAnEvaluationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := expression.Bool(ctx, `[1, 2].all(x, x > 0)`, scope())
	require.ErrorIs(t, err, context.Canceled)
}

func TestEvaluationsShareAScopeAndProgramsAtOnce(t *testing.T) {
	t.Parallel()
	s := scope()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				ok, err := expression.Bool(t.Context(), `trigger.payload.systems.exists(s, s.up) && var.n == 3`, s)
				if err != nil || !ok {
					t.Error(ok, err)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkFilter(b *testing.B) {
	s := scope()
	for b.Loop() {
		if _, err := expression.Bool(b.Context(), `trigger.payload.severity == "critical" && trigger.payload.latencyMs > 500`, s); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, seed := range []string{`trigger.payload.x == 1 || true`, `{{ x }}`, `"a".matches("(")`, `var.x + [1][0]`, `has(a.b)`, `r'''x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := expression.Value(ctx, text, scope()); err != nil && problem.As(err).Code != problem.Invalid {
			t.Fatal(err)
		}
		expression.Explain(ctx, text, scope())
		raw, _ := json.Marshal(map[string]string{"x": text})
		if _, err := expression.Fill(ctx, raw, scope()); err != nil && problem.As(err).Code != problem.Invalid {
			t.Fatal(err)
		}
	})
}
