package module_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"countersign/app/module"
	"countersign/automation/action"
	"countersign/internal/principal"
	"countersign/internal/store/chore"
	"countersign/tool"
)

type clock struct{ name string }

func (c clock) Rules() []principal.Rule {
	return []principal.Rule{{ID: c.name + ".time.read", Description: "See the time"}}
}
func (c clock) Chores() []chore.Chore { return []chore.Chore{{Name: "wind " + c.name}} }

// keeper keeps something about systems.
type keeper struct {
	told *[]uuid.UUID
	err  error
}

func (k keeper) OnRemoved(_ context.Context, _ string, id uuid.UUID) error {
	*k.told = append(*k.told, id)
	return k.err
}

// misspelt has methods that look like offers and are none.
type misspelt struct{}

func (misspelt) Tools() []string       { return nil }
func (misspelt) EventTypes() []string  { return nil }
func (misspelt) Workflows() error      { return nil }
func (misspelt) Actions() []string     { return nil }
func (misspelt) Health() error         { return nil }
func (misspelt) OnRemoved(uuid.UUID)   {}
func (misspelt) SecretUsers() []string { return nil }
func (misspelt) Loops(context.Context) {}
func (misspelt) Subscriptions() error  { return nil }
func (misspelt) Collectors() []string  { return nil }
func (misspelt) Sealed() []byte        { return nil }

func TestAPartIsAskedForWhatItOffers(t *testing.T) {
	t.Parallel()
	list := &module.List{}
	require.NoError(t, list.Add(clock{"first"}, clock{"second"}))
	require.Equal(t, []string{"first.time.read", "second.time.read"}, []string{list.Rules()[0].ID, list.Rules()[1].ID})
	require.Equal(t, "wind second", list.Chores()[1].Name)
	require.Empty(t, list.Tools())
	require.Empty(t, list.Routes())
}

func TestAnOfferThatNobodyWouldAskForIsAnError(t *testing.T) {
	t.Parallel()
	list := &module.List{}
	require.ErrorContains(t, list.Add(struct{}{}), "offers nothing")
	require.ErrorContains(t, list.Add(nil), "nil")
	err := list.Add(misspelt{})
	for method := range reflect.TypeFor[misspelt]().Methods() {
		require.ErrorContains(t, err, method.Name+" is")
	}
}

func TestAModuleIsMadeWithTheServicesOfItsProcess(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	made := module.Services{Log: log}.Made([]any{clock{"own"}, nil, func(s module.Services) any {
		require.Same(t, log, s.Log)
		return clock{"made"}
	}})
	require.Equal(t, []any{clock{"own"}, nil, clock{"made"}}, made)
}

// counter has metrics with these names.
type counter []string

func (c counter) Collectors() []prometheus.Collector {
	var metrics []prometheus.Collector
	for _, name := range c {
		metrics = append(metrics, prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: "Counts."}))
	}
	return metrics
}

type otherCounter struct{ counter }

func TestAMetricThatTwoPartsHaveNamesBoth(t *testing.T) {
	t.Parallel()
	const first, second = "module_test.counter", "module_test.otherCounter"
	for _, test := range []struct {
		parts   []any
		refusal string
	}{
		{[]any{counter{"a"}, otherCounter{counter{"b"}}}, ""},
		{[]any{counter{"a", "b"}, counter{"c"}, otherCounter{counter{"d", "b"}}}, first + " and " + second + " have a metric"},
		{[]any{counter{"a"}, otherCounter{counter{"b", "b"}}}, second + " and " + second + " have a metric"},
		{[]any{counter{"a"}, otherCounter{counter{"own"}}}, "the process and " + second + " have a metric"},
	} {
		list, process := &module.List{}, prometheus.NewRegistry()
		require.NoError(t, list.Add(test.parts...))
		process.MustRegister(counter{"own"}.Collectors()...)
		if err := list.RegisterMetrics(process); test.refusal == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.refusal)
		}
	}
}

func TestRemovalsStopAtTheFirstError(t *testing.T) {
	t.Parallel()
	var first, second, third []uuid.UUID
	away := errors.New("away")
	list := &module.List{}
	require.NoError(t, list.Add(keeper{&first, nil}, keeper{&second, away}, keeper{&third, nil}))
	system := uuid.New()
	require.ErrorIs(t, list.OnRemoved(t.Context(), "catalog.system", system), away)
	require.Equal(t, [][]uuid.UUID{{system}, {system}, nil}, [][]uuid.UUID{first, second, third})
}

// actor has one action, which produces a light.
type actor struct {
	id, schema, artifact string
}

func (a actor) Actions() []action.Action {
	return []action.Action{{
		ID: a.id, Name: "Light", Description: "Lights it.", Category: "Light", Effect: tool.Mutate, Config: json.RawMessage(a.schema),
		Produces: []action.ArtifactType{{ID: "light", Name: "Light", Description: "It is lit.", Schema: json.RawMessage(a.artifact)}},
		DryRun:   func(context.Context, action.Call) (action.Preview, error) { return action.Preview{}, nil },
		Do:       func(context.Context, action.Call) (action.Result, error) { return action.Result{}, nil },
	}}
}

// lamp is an actor of another module.
type lamp struct{ actor }

func TestActionsOfModulesDoNotContradictEachOther(t *testing.T) {
	t.Parallel()
	const (
		plain   = `{"type":"object","additionalProperties":false}`
		swapped = `{"additionalProperties":false,"type":"object"}`
		other   = `{"type":"object","title":"x","additionalProperties":false}`
	)
	for name, tc := range map[string]struct {
		parts []any
		says  []string
	}{
		"whole": {[]any{actor{"a.light", plain, plain}, lamp{actor{"b.light", plain, swapped}}}, nil},
		"same id": {
			[]any{actor{"a.light", plain, plain}, lamp{actor{"a.light", plain, plain}}},
			[]string{"module_test.actor and module_test.lamp have an action", `"a.light"`},
		},
		"other schema": {
			[]any{actor{"a.light", plain, plain}, lamp{actor{"b.light", plain, other}}},
			[]string{"module_test.actor, action a.light and module_test.lamp, action b.light", `"light"`},
		},
		"open schema": {[]any{actor{"a.light", `{"type":"object"}`, plain}}, []string{"module_test.actor", "additionalProperties"}},
		"bad id":      {[]any{actor{"a.lightIt", plain, plain}}, []string{"module_test.actor", "must look like"}},
	} {
		list := &module.List{}
		require.NoError(t, list.Add(tc.parts...), name)
		err := list.CheckActions()
		if tc.says == nil {
			require.NoError(t, err, name)
			require.Len(t, list.Actions(), len(tc.parts))
		}
		for _, said := range tc.says {
			require.ErrorContains(t, err, said, name)
		}
	}
}
