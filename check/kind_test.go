package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

func TestARegistryRefusesWhatWouldBeAmbiguous(t *testing.T) {
	t.Parallel()
	type config struct{ check.Deadline }
	type result struct {
		Found bool `json:"found"`
	}
	kind := func(id string) check.Kind { return check.Kind{ID: id, Name: "Name", Description: "Does it."} }
	look := check.NewCollector(kind("a.look"), collectNothing[config, result])
	type another struct {
		Lost bool `json:"lost"`
	}
	other := check.NewCollector(kind("a.look"), collectNothing[config, another])
	nameless := check.NewCollector(check.Kind{ID: "a.find"}, collectNothing[config, result])
	for name, c := range map[string]struct {
		strategies []check.Strategy
		says       string
	}{
		"nothing is wrong":         {[]check.Strategy{check.NewStrategy(kind("a.a"), openNothing[config], nil, look)}, ""},
		"one collector in two":     {[]check.Strategy{check.NewStrategy(kind("a.a"), openNothing[config], nil, look), check.NewStrategy(kind("a.b"), openNothing[config], nil, look)}, ""},
		"no collector":             {[]check.Strategy{check.NewStrategy(kind("a.a"), openNothing[config], nil)}, `strategy "a.a" has no collector`},
		"no name":                  {[]check.Strategy{check.NewStrategy(check.Kind{ID: "a.a"}, openNothing[config], nil, look)}, `strategy "a.a" is there twice, or lacks a name or a description`},
		"a strategy twice":         {[]check.Strategy{check.NewStrategy(kind("a.a"), openNothing[config], nil, look), check.NewStrategy(kind("a.a"), openNothing[config], nil, look)}, `strategy "a.a" is there twice, or lacks a name or a description`},
		"a collector has no name":  {[]check.Strategy{check.NewStrategy(kind("a.a"), openNothing[config], nil, nameless)}, `collector "a.find" of "a.a" lacks a name or a description`},
		"two collectors of one id": {[]check.Strategy{check.NewStrategy(kind("a.a"), openNothing[config], nil, look), check.NewStrategy(kind("a.b"), openNothing[config], nil, other)}, `collector "a.look" is there twice`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := check.NewRegistry(c.strategies...)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.says)
		})
	}
}

func TestOpeningThatHangsIsGivenUpToo(t *testing.T) {
	t.Parallel()
	type config struct{ check.Deadline }
	type result struct {
		Found bool `json:"found"`
	}
	release := make(chan struct{})
	closed := make(chan struct{}, 2)
	r, err := check.NewRegistry(check.NewStrategy(
		check.Kind{ID: "a.a", Name: "A", Description: "A."},
		func(context.Context, check.Run, *config) (struct{}, error) { <-release; return struct{}{}, nil },
		func(struct{}) { closed <- struct{}{} },
		check.NewCollector(check.Kind{ID: "a.look", Name: "Look", Description: "Looks."}, collectNothing[config, result]),
	))
	require.NoError(t, err)
	p, err := r.Prepare(
		check.Configuration{Strategy: "a.a", Config: []byte(`{"timeout":100}`), Collectors: []check.Collected{{ID: one, CollectorID: "a.look"}}},
		scope(),
		nil,
	)
	require.NoError(t, err)
	out := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0))
	require.Equal(t, check.TimedOut, out.Cause)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, "The check was broken off before it had ended.", p.Run(ctx, &check.Host{}, 1, time.UnixMilli(0)).Report().Message)
	close(release)
	<-closed
	<-closed
}
