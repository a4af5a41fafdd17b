package history

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check/health"
)

// drawn shows intervals as one letter a second: h, d and u for a status, - for not measured, and a space where nothing counts.
func drawn(list []Interval) string {
	var b strings.Builder
	for _, i := range list {
		letter := "-hdu"[i.Status : i.Status+1]
		if i.Idle {
			letter = " "
		}
		b.WriteString(strings.Repeat(letter, int(i.To-i.From)/1000))
	}
	return b.String()
}

// lineOf is a timeline from its making, with changes such as u4<2: unhealthy at 4 s, begun at 2 s; i is idle.
func lineOf(target int32, made int64, changes string, gaps ...span) *timeline {
	t := &timeline{target: target, made: made * 1000, interval: 1000, unwatched: math.MaxInt64, gaps: gaps}
	for word := range strings.FieldsSeq(changes) {
		at, began, found := strings.Cut(word[1:], "<")
		if !found {
			began = at
		}
		c := change{at: seconds(at), began: seconds(began), reason: word}
		if c.idle = word[0] == 'i'; !c.idle {
			c.after = health.Status(strings.IndexByte("-hdu", word[0]))
		}
		t.transitions = append(t.transitions, c)
	}
	return t
}

func seconds(text string) int64 {
	d, err := time.ParseDuration(text + "s")
	if err != nil {
		panic(err)
	}
	return d.Milliseconds()
}

func gap(from, to int64) span { return span{from * 1000, to * 1000, "takeover"} }

func TestIntervalsOfACheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		line *timeline
		want string
	}{
		{"before it was made, and before its first run", lineOf(1, 2, "h5"), "  ---hhhhh"},
		{"downtime begins with the streak", lineOf(1, 0, "h0 d4<2 u7<2 h9"), "hhdddddduuh"[:4] + "dddu" + "uh"},
		{"a pause and what follows it", lineOf(1, 0, "h0 i3 -6 h7"), "hhh   -hhh"},
		{"a gap in health and in an outage", lineOf(1, 0, "h0 u5", gap(2, 4), gap(6, 8)), "hh--hu--uu"},
		{"a gap while it is paused is none", lineOf(1, 0, "h0 i2 -8", gap(1, 9)), "h-      -" + "-"},
		{"a change whose streak reaches into the window", lineOf(1, 0, "h0 d12<8"), "hhhhhhhhdd"},
		{"nothing known", lineOf(1, 0, ""), "----------"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list := c.line.intervals(0, 10_000)
			require.Equal(t, c.want, drawn(list))
			for i := 1; i < len(list); i++ {
				require.Equal(t, list[i-1].To, list[i].From)
			}
			// The parts of a window are those of the whole.
			require.Equal(t, c.want[3:7], drawn(c.line.intervals(3000, 7000)))
		})
	}
	alone := lineOf(1, 0, "h0")
	alone.unwatched = 6000
	require.Equal(t, "hhhhhh----", drawn(alone.intervals(0, 10_000)))
}

func TestASystemIsAsBadAsItsWorstCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lines []*timeline
		want  string
		down  time.Duration
		// outages are the number of outages and of the parts of each.
		outages []int
	}{
		{"no check", nil, "", 0, nil},
		{
			"one that never passed beside a quick one that does",
			[]*timeline{lineOf(1, 0, "h0"), lineOf(2, 0, "d8<4")},
			"----dddddd", 6 * time.Second,
			[]int{1},
		},
		{
			"one outage that two checks see",
			[]*timeline{lineOf(1, 0, "h0 u2 h7"), lineOf(2, 0, "h0 u3 h6")},
			"hhuuuuuhhh", 5 * time.Second,
			[]int{1},
		},
		{
			"one after the other", []*timeline{lineOf(1, 0, "h0 d2 h5"), lineOf(2, 0, "h0 u4 h8")}, "hhdduuuuhh", 6 * time.Second, []int{2},
		},
		{
			"a paused one counts for nothing", []*timeline{lineOf(1, 0, "h0"), lineOf(2, 0, "h0 u2 i5")}, "hhuuuhhhhh", 3 * time.Second, []int{1},
		},
		{
			"an outage over a restart of ours",
			[]*timeline{lineOf(1, 0, "h0 u2 h8", gap(4, 6)), lineOf(2, 0, "h0", gap(4, 6))},
			"hhuu--uuhh", 4 * time.Second,
			[]int{2},
		},
		{
			"a pause ends an outage, and what follows is another",
			[]*timeline{lineOf(1, 0, "u1 i3 -5 u6")},
			"-uu  -uuuu", 6 * time.Second,
			[]int{1, 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var lists [][]Interval
			for _, line := range c.lines {
				lists = append(lists, line.intervals(0, 10_000))
			}
			whole := combine(lists, 0, 10_000)
			require.Equal(t, c.want, drawn(whole))
			a := account(record{intervals: whole})
			require.Equal(t, c.down, a.Down)
			require.Equal(t, time.Duration(strings.Count(c.want, "h"))*time.Second+c.down, a.Measured)
			var outages []int
			var listed time.Duration
			for _, o := range a.Outages {
				outages = append(outages, len(o.Parts))
				for _, part := range o.Parts {
					listed += time.Duration(part.To-part.From) * time.Millisecond
				}
			}
			require.Equal(t, c.outages, outages)
			require.Equal(t, a.Down, listed, "each lost moment is listed")
		})
	}
}
