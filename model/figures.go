package model

import (
	"math"
	"time"
)

// Figures are properties of one model of a connection that its calls have shown. A field of zero is not known.
type Figures struct {
	WindowTokens           int     `json:"windowTokens,omitempty" doc:"The context window, from a refusal of a longer request"`
	MaxTools               int     `json:"maxTools,omitempty" doc:"How many tools one request may offer, from a refusal"`
	ReasoningTokens        int     `json:"reasoningTokens,omitempty" doc:"The most that one answer has used for thoughts"`
	PrefillTokensPerSecond float64 `json:"prefillTokensPerSecond,omitempty" doc:"How fast the server reads a request: the slowest of this period and the one before"`
	// PeriodPrefill is the slowest of the current period alone, and Period its number (PeriodOf).
	PeriodPrefill     float64 `json:"periodPrefillTokensPerSecond,omitempty" doc:"How fast it reads in the current period of six hours"`
	Period            int64   `json:"period,omitempty" doc:"The number of that period"`
	TokensPerEstimate float64 `json:"tokensPerEstimate,omitempty" doc:"Tokens that the provider counts for each one that is estimated"`
	Slots             int     `json:"slots,omitempty" doc:"How many requests the server computes at once"`
}

const (
	// noticeable is the relative difference below which a measurement counts as known: measurements vary with each call,
	// and storing one is a write.
	noticeable = 0.1
	// harmful is the same of estimates that are too low.
	harmful = 0.02
	// measurementWeight is that of a new measurement in the moving average.
	measurementWeight = 0.25
)

// pacePeriod bounds how long the slowest reading counts: to the end of the period after it.
const pacePeriod = 6 * time.Hour

// PeriodOf is the number of the period of a moment.
func PeriodOf(at time.Time) int64 { return at.Unix() / int64(pacePeriod/time.Second) }

// Merge adds figures of a call to those known so far, and reports whether that changed them noticeably. Limits only
// shrink, thoughts only grow, the slowest reading of two periods and the newest number of slots count, and corrections of
// estimates are averaged unless they are too low.
func (f Figures) Merge(seen Figures) (merged Figures, changed bool) {
	merged = f
	merged.WindowTokens = lowest(f.WindowTokens, seen.WindowTokens)
	merged.MaxTools = lowest(f.MaxTools, seen.MaxTools)
	if differs(float64(f.ReasoningTokens), float64(seen.ReasoningTokens)) {
		merged.ReasoningTokens = max(f.ReasoningTokens, seen.ReasoningTokens)
	}
	merged = merged.withPace(seen)
	merged.TokensPerEstimate = corrected(f.TokensPerEstimate, seen.TokensPerEstimate)
	if seen.Slots > 0 {
		merged.Slots = seen.Slots
	}
	return merged, merged != f
}

// withPace adds a measurement of the pace. A request seems to be read fast where a provider has it in its cache, which not
// all tell, so the slowest counts: of the current period, and of the one before in which there were calls.
func (f Figures) withPace(seen Figures) Figures {
	pace := seen.PrefillTokensPerSecond
	if !differs(0, pace) {
		return f
	}
	// A period far ahead is that of a clock that was wrong.
	if seen.Period > f.Period || seen.Period > 0 && seen.Period < f.Period-1 {
		if f.PeriodPrefill > 0 {
			f.PrefillTokensPerSecond = f.PeriodPrefill
		}
		f.Period, f.PeriodPrefill = seen.Period, pace
	}
	if pace < f.PeriodPrefill && differs(f.PeriodPrefill, pace) {
		f.PeriodPrefill = pace
	}
	if f.PrefillTokensPerSecond <= 0 || pace < f.PrefillTokensPerSecond && differs(f.PrefillTokensPerSecond, pace) {
		f.PrefillTokensPerSecond = pace
	}
	return f
}

// lowest is the smaller of two limits, of which zero is not known.
func lowest(known, seen int) int {
	if known <= 0 || seen > 0 && seen < known {
		return max(seen, 0)
	}
	return known
}

// corrected is a correction of estimates after another measurement. It rises at once, as an estimate that is too low ends
// in a refusal, and falls as a moving average.
func corrected(known, seen float64) float64 {
	switch {
	case !differs(0, seen):
		return known
	case seen > known*(1+harmful):
		return seen
	case !differs(known, seen):
		return known
	default:
		return known + (seen-known)*measurementWeight
	}
}

// differs reports whether a measurement is noticeably different; NaN and what is not positive is no measurement.
func differs(known, seen float64) bool {
	return seen > 0 && !math.IsInf(seen, 1) && math.Abs(seen-known) > noticeable*known
}
