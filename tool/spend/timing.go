package spend

import (
	"math"
	"time"
)

// Price is the price per million tokens, in the currency that the administrator of the connection chose.
type Price struct {
	Input, Output float64
	// Cached is the price of input from the provider's cache.
	Cached float64
}

// Unknown stands for an unknown cost or time.
const Unknown = -1

// micros returns the cost in millionths: a price per million tokens equals the millionths per token.
func (p Price) micros(input, cached, output int64) int64 {
	const most = 1e15
	cost := float64(input-cached)*p.Input + float64(cached)*p.Cached + float64(output)*p.Output
	return int64(math.Round(min(cost, most)))
}

// Timing is the duration and failure of a call, for its turn's details.
type Timing struct {
	// Took is the duration of the request, First the time until the first word, thought or call; zero when there was
	// none.
	Took, First time.Duration
	// Failure is the kind of failure; empty for an answered call.
	Failure string
}

func (t Timing) tookMS() int32 { return milliseconds(t.Took) }

func (t Timing) firstMS() int32 {
	if t.First <= 0 {
		return Unknown
	}
	return milliseconds(t.First)
}

func milliseconds(d time.Duration) int32 {
	return int32(min(max(d.Milliseconds(), 0), math.MaxInt32))
}

// callColumns returns the columns for the model, the timing and the failure.
func (s *Settlement) callColumns() (model *string, took, first *int32, failure *string) {
	if s.Model != "" {
		model = &s.Model
	}
	if s.FirstMS != Unknown {
		first = &s.FirstMS
	}
	if s.Failure != "" {
		failure = &s.Failure
	}
	return model, &s.TookMS, first, failure
}
