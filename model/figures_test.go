package model_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

func TestFiguresOfManyCallsAreMerged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		known, seen, want model.Figures
		changed           bool
	}{
		"first":           {model.Figures{}, model.Figures{WindowTokens: 8192, MaxTools: 128, Slots: 1}, model.Figures{WindowTokens: 8192, MaxTools: 128, Slots: 1}, true},
		"nothing":         {model.Figures{WindowTokens: 8192}, model.Figures{}, model.Figures{WindowTokens: 8192}, false},
		"smaller limits":  {model.Figures{WindowTokens: 8192, MaxTools: 128}, model.Figures{WindowTokens: 4096, MaxTools: 64}, model.Figures{WindowTokens: 4096, MaxTools: 64}, true},
		"larger limits":   {model.Figures{WindowTokens: 8192, MaxTools: 128}, model.Figures{WindowTokens: 9000, MaxTools: 200}, model.Figures{WindowTokens: 8192, MaxTools: 128}, false},
		"more thoughts":   {model.Figures{ReasoningTokens: 1000}, model.Figures{ReasoningTokens: 5000}, model.Figures{ReasoningTokens: 5000}, true},
		"fewer thoughts":  {model.Figures{ReasoningTokens: 5000}, model.Figures{ReasoningTokens: 100}, model.Figures{ReasoningTokens: 5000}, false},
		"hardly more":     {model.Figures{ReasoningTokens: 5000}, model.Figures{ReasoningTokens: 5100}, model.Figures{ReasoningTokens: 5000}, false},
		"faster":          {model.Figures{PrefillTokensPerSecond: 100}, model.Figures{PrefillTokensPerSecond: 200}, model.Figures{PrefillTokensPerSecond: 100}, false},
		"slower":          {model.Figures{PrefillTokensPerSecond: 100}, model.Figures{PrefillTokensPerSecond: 50}, model.Figures{PrefillTokensPerSecond: 50}, true},
		"hardly slower":   {model.Figures{PrefillTokensPerSecond: 100}, model.Figures{PrefillTokensPerSecond: 95}, model.Figures{PrefillTokensPerSecond: 100}, false},
		"higher estimate": {model.Figures{TokensPerEstimate: 2}, model.Figures{TokensPerEstimate: 2.1}, model.Figures{TokensPerEstimate: 2.1}, true},
		"lower estimate":  {model.Figures{TokensPerEstimate: 2}, model.Figures{TokensPerEstimate: 1}, model.Figures{TokensPerEstimate: 1.75}, true},
		"about the same":  {model.Figures{TokensPerEstimate: 2}, model.Figures{TokensPerEstimate: 1.9}, model.Figures{TokensPerEstimate: 2}, false},
		"no rates":        {model.Figures{TokensPerEstimate: 2}, model.Figures{TokensPerEstimate: math.NaN(), PrefillTokensPerSecond: math.Inf(1)}, model.Figures{TokensPerEstimate: 2}, false},
		"another slot":    {model.Figures{Slots: 1}, model.Figures{Slots: 4}, model.Figures{Slots: 4}, true},
		"nonsense":        {model.Figures{}, model.Figures{WindowTokens: -5, MaxTools: -1, ReasoningTokens: -1}, model.Figures{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			merged, changed := test.known.Merge(test.seen)
			require.Equal(t, test.want, merged)
			require.Equal(t, test.changed, changed)
		})
	}
}

// A server that was slow once, such as while it loaded its model, is not thought slow for ever; and one that answers from
// its cache for a while is not thought fast.
func TestTheSlowestReadingCountsForTwoPeriods(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)
	var known model.Figures
	reads := func(after time.Duration, pace, want float64, isNew bool) {
		t.Helper()
		at = at.Add(after)
		merged, changed := known.Merge(model.Figures{PrefillTokensPerSecond: pace, Period: model.PeriodOf(at)})
		require.InDelta(t, want, merged.PrefillTokensPerSecond, 0)
		require.Equal(t, isNew, changed)
		known = merged
	}
	reads(0, 200, 200, true)
	reads(time.Minute, 9_000, 200, false)
	reads(6*time.Hour, 9_000, 200, true)
	reads(time.Minute, 2_000, 200, true)
	reads(time.Minute, 9_000, 200, false)
	reads(48*time.Hour, 9_000, 2_000, true)
	reads(time.Minute, 9_000, 2_000, false)
	reads(6*time.Hour, 9_000, 9_000, true)
	reads(time.Minute, 300, 300, true)
	reads(6*time.Hour, 9_000, 300, true)
	reads(-365*24*time.Hour, 9_000, 9_000, true)
	reads(time.Minute, 400, 400, true)
	known = model.Figures{PrefillTokensPerSecond: 50} // of an earlier version
	reads(time.Hour, 800, 50, true)
	reads(12*time.Hour, 900, 800, true)
}
