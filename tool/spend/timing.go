package spend

import (
	"math"
	"time"
)

// Price is what tokens cost, per million, in whatever currency the administrator of the connection thinks.
type Price struct {
	Input, Output float64
	// Cached is the price of input that the provider had in its cache.
	Cached float64
}

// Unknown stands for a cost or a time that nobody knows.
const Unknown = -1

// micros is the cost in millionths: a price per million tokens is that of one token in millionths.
func (p Price) micros(input, cached, output int64) int64 {
	const most = 1e15
	cost := float64(input-cached)*p.Input + float64(cached)*p.Cached + float64(output)*p.Output
	return int64(math.Round(min(cost, most)))
}

// Timing is how a call went, for people who look at its turn.
type Timing struct {
	// Took is from the request to its end, First until the first word, thought or call; zero when there was none.
	Took, First time.Duration
	// Failure is the sort of failure; empty for a call that has answered.
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

// seen are the columns of how a call went.
func (s *Settlement) seen() (model *string, took, first *int32, failure *string) {
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
