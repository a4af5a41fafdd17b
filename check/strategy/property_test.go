package strategy_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/internal/problem"
	"countersign/internal/secret"
)

// inventor makes configs by a schema, some of which are wrong.
type inventor struct{ *rand.Rand }

func (i inventor) pick(of ...any) any { return of[i.IntN(len(of))] }

// value is one that fits mostly.
func (i inventor) value(p *property) any {
	if i.IntN(40) == 0 {
		return i.pick(
			nil,
			true,
			1.5,
			-1,
			"",
			"a\x00b",
			[]any{},
			map[string]any{},
			strings.Repeat("x", 300),
			"{{",
			"{{ system.name }}",
			"${{ secrets.A }}",
			"${{",
		)
	}
	switch p.Type {
	case "string":
		switch {
		case len(p.Enum) > 0:
			return p.Enum[i.IntN(len(p.Enum))]
		case p.Secret:
			return i.pick("${{ secrets.A }}", "${{ secrets.A }}${{secrets.B}}", "", "${{ secrets.A }}")
		case p.Template:
			return i.pick(
				"example.com",
				"{{ environment.host }}",
				"https://example.com/{{ system.metadata.region }}",
				"wss://example.com",
				"",
				"7",
				"/",
			)
		default:
			return i.pick("example.com", "https://example.com/", "wss://example.com/", "a b", "", "200-299")
		}
	case "integer":
		low, high := 0.0, 100.0
		if p.Minimum != nil {
			low = *p.Minimum
		}
		if p.Maximum != nil {
			high = *p.Maximum
		}
		return i.pick(low, high, low-1, high+1, low+float64(i.IntN(int(high-low)+1)), low+float64(i.IntN(int(high-low)+1)))
	case "number":
		return i.Float64() * 100
	case "boolean":
		return i.IntN(2) == 0
	case "array":
		list := make([]any, i.IntN(3))
		for n := range list {
			list[n] = i.value(p.Items)
		}
		return list
	default:
		return i.object(p)
	}
}

func (i inventor) object(p *property) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		if needed := slices.Contains(p.Required, name); needed && i.IntN(50) > 0 || !needed && i.IntN(4) == 0 {
			object[name] = i.value(p.Properties[name])
		}
	}
	if len(p.Properties) == 0 && i.IntN(2) == 0 {
		object["A"] = i.pick("a", "${{ secrets.A }}", "{{ check.name }}", 1)
	}
	if i.IntN(50) == 0 {
		object["unknown"] = 1
	}
	return object
}

func TestWhatValidateAcceptsPrepareAcceptsForEveryKind(t *testing.T) {
	t.Parallel()
	r, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	scope := check.Scope{
		Check:       check.CheckScope{ID: uuid.New(), Name: "c", IntervalSeconds: 60},
		System:      check.SystemScope{ID: uuid.New(), Name: "s", Metadata: map[string]any{"region": "eu"}},
		Environment: &check.EnvironmentScope{ID: uuid.New(), Name: "e", Fields: map[string]any{"host": "example.com"}},
	}
	secrets := map[string]secret.Value{"A": secret.NewValue("value of a"), "B": secret.NewValue("value of b")}
	for _, s := range r.Strategies() {
		top := read(t, s.Config)
		for _, c := range s.Collectors {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				inner := read(t, c.Config)
				random := inventor{rand.New(rand.NewPCG(1, uint64(len(s.ID+c.ID))))}
				var valid, templated int
				for range 600 {
					config, err := json.Marshal(random.object(top))
					require.NoError(t, err)
					of, err := json.Marshal(random.object(inner))
					require.NoError(t, err)
					configuration := check.Configuration{
						Strategy: s.ID, Config: config, Collectors: []check.Collected{{ID: uuid.New(), CollectorID: c.ID, Config: of}},
					}
					issues := r.Validate(t.Context(), configuration)
					_, err = r.Prepare(configuration, scope, secrets)
					if len(issues) > 0 {
						require.Error(t, err, "%s %s", config, of)
						for _, issue := range issues {
							require.NotEmpty(t, issue.Path)
							require.NotEmpty(t, issue.Message)
						}
						continue
					}
					valid++
					if err != nil {
						// Only what a template brings in can be wrong then.
						failure, ok := errors.AsType[*check.Failure](err)
						require.True(t, ok, "%v", err)
						require.Equal(t, check.NotRunnable, failure.Cause)
						for _, issue := range problem.As(errors.Unwrap(failure)).Issues {
							name := issue.Path[strings.LastIndex(issue.Path, ".")+1:]
							require.Regexp(t, `"`+regexp.QuoteMeta(name)+`":"[^"]*\{\{ `, string(config)+string(of), "%s %s", issue.Path, issue.Message)
						}
						templated++
					}
				}
				require.Positive(t, valid, "no config was valid")
				t.Logf("%d of 600 valid, %d of them not with what the templates brought", valid, templated)
			})
		}
	}
}
