package demo

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"time"
)

// answer is an endpoint's answer at a moment.
type answer struct {
	status int
	took   time.Duration
	// state is the reported state in the body.
	state string
}

// trouble is a period in which an endpoint misbehaves.
type trouble struct {
	from, to time.Time
	outage   bool
	status   int
	// factor is the slowdown.
	factor float64
}

// behaviour is the deterministic behaviour of an endpoint over time: the same moment gives the same answer to any
// caller.
type behaviour struct {
	key string
	temper
}

func behaviourOf(environment, path string) behaviour {
	return behaviour{environment + path, temperOf(environment, path)}
}

// at returns the answer at a moment.
func (b behaviour) at(moment time.Time) answer {
	draw := b.draw("request", uint64(moment.UnixMilli()))
	a := answer{status: 200, state: "ok", took: milliseconds(b.base * b.daytime(moment) * math.Exp(b.spread*gauss(draw)))}
	if chance(draw>>17) < b.errorRate {
		a.status, a.state = 502, "failed"
	}
	for _, t := range b.troubles(moment) {
		if moment.Before(t.from) || !moment.Before(t.to) {
			continue
		}
		a.took = min(milliseconds(t.factor*float64(a.took)/float64(time.Millisecond)), 9*time.Second)
		if t.outage {
			a.status, a.state = t.status, "failed"
		} else {
			a.state = "slow"
		}
	}
	return a
}

// troubles returns the periods that can include a moment: they begin on its day or the day before.
func (b behaviour) troubles(moment time.Time) []trouble {
	today := moment.UTC().Truncate(24 * time.Hour)
	return append(b.begunOn(today.AddDate(0, 0, -1)), b.begunOn(today)...)
}

func (b behaviour) begunOn(day time.Time) []trouble {
	var found []trouble
	number := uint64(day.Unix() / 86400)
	if draw := b.draw("outage", number); chance(draw) < b.outages/7 {
		from := day.Add(time.Duration(chance(draw>>9) * float64(24*time.Hour)))
		status := []int{503, 500, 502, 504}[draw>>40%4]
		found = append(found, trouble{from, from.Add(minutes(6 + 55*chance(draw>>21)*chance(draw>>5))), true, status, 1.5})
	}
	if draw := b.draw("slowdown", number); chance(draw) < b.slowdowns/7 {
		from := day.Add(time.Duration(chance(draw>>9) * float64(24*time.Hour)))
		found = append(found, trouble{from, from.Add(minutes(10 + 110*chance(draw>>21))), false, 200, 5 + 14*chance(draw>>13)})
	}
	return found
}

// daytime is the load of the company: highest in the early afternoon, lower at weekends.
func (b behaviour) daytime(moment time.Time) float64 {
	hour := moment.UTC().Sub(moment.UTC().Truncate(24 * time.Hour)).Hours()
	load := (1 + math.Cos((hour-14)/24*2*math.Pi)) / 2
	if day := moment.UTC().Weekday(); day == time.Saturday || day == time.Sunday {
		load *= .55
	}
	return 1 + (b.busy-1)*load
}

// draw is a deterministic pseudo-random number for a question.
func (b behaviour) draw(about string, n uint64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(b.key + "\x00" + about))
	_ = binary.Write(h, binary.BigEndian, n)
	x := h.Sum64()
	// Neighbouring questions must be uncorrelated.
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance maps a draw to a number from 0 to 1 by its lower bits.
func chance(draw uint64) float64 { return float64(draw&(1<<20-1)) / (1 << 20) }

// gauss is approximately normally distributed: the sum of three uniform numbers, within three deviations.
func gauss(draw uint64) float64 {
	return (chance(draw) + chance(draw>>20) + chance(draw>>40) - 1.5) * 2
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
func minutes(n float64) time.Duration      { return time.Duration(n * float64(time.Minute)) }
