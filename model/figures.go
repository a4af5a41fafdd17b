package model

import "math"

// Figures are properties of one model of a connection that its calls have shown. A field of zero is not known.
type Figures struct {
	WindowTokens           int     `json:"windowTokens,omitempty" doc:"The context window, from a refusal of a longer request"`
	MaxTools               int     `json:"maxTools,omitempty" doc:"How many tools one request may offer, from a refusal"`
	ReasoningTokens        int     `json:"reasoningTokens,omitempty" doc:"The most that one answer has used for thoughts"`
	PrefillTokensPerSecond float64 `json:"prefillTokensPerSecond,omitempty" doc:"How fast the server reads a request"`
	TokensPerEstimate      float64 `json:"tokensPerEstimate,omitempty" doc:"Tokens that the provider counts for each one that is estimated"`
	Slots                  int     `json:"slots,omitempty" doc:"How many requests the server computes at once"`
}

const (
	// noticeable is the relative difference below which a measurement counts as known: measurements vary with each call,
	// and storing one is a write.
	noticeable = 0.1
	// measurementWeight is that of a new measurement in the moving average.
	measurementWeight = 0.25
)

// Merge adds figures of a call to those known so far, and reports whether that changed them noticeably. Limits only
// shrink, thoughts only grow, measurements are averaged, and the newest number of slots counts.
func (f Figures) Merge(seen Figures) (merged Figures, changed bool) {
	merged = f
	merged.WindowTokens = lowest(f.WindowTokens, seen.WindowTokens)
	merged.MaxTools = lowest(f.MaxTools, seen.MaxTools)
	if differs(float64(f.ReasoningTokens), float64(seen.ReasoningTokens)) {
		merged.ReasoningTokens = max(f.ReasoningTokens, seen.ReasoningTokens)
	}
	merged.PrefillTokensPerSecond = averaged(f.PrefillTokensPerSecond, seen.PrefillTokensPerSecond)
	merged.TokensPerEstimate = averaged(f.TokensPerEstimate, seen.TokensPerEstimate)
	if seen.Slots > 0 {
		merged.Slots = seen.Slots
	}
	return merged, merged != f
}

// lowest is the smaller of two limits, of which zero is not known.
func lowest(known, seen int) int {
	if known <= 0 || seen > 0 && seen < known {
		return max(seen, 0)
	}
	return known
}

func averaged(known, seen float64) float64 {
	switch {
	case !differs(known, seen):
		return known
	case known <= 0:
		return seen
	default:
		return known + (seen-known)*measurementWeight
	}
}

// differs reports whether a measurement is noticeably different; NaN and what is not positive is no measurement.
func differs(known, seen float64) bool {
	return seen > 0 && !math.IsInf(seen, 1) && math.Abs(seen-known) > noticeable*known
}
