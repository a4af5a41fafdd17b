package conversation

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Weights of equal parts of an exchange. Questions repeat more often than answers.
const (
	sameQuestion = 1
	sameAnswer   = 2
	sameBoth     = 3
	// leastWorth is the minimum worth of a run that does not start at both beginnings: less may be a "yes" from elsewhere.
	leastWorth = 2
)

// matched is the place in a conversation where a history ends.
type matched struct {
	conversation uuid.UUID
	next         string
	same         bool
	// known says for each sent exchange whether the conversation holds it. edited are the messages here whose answers were
	// sent with another question.
	known  []bool
	edited map[int]string
}

// run is a sequence of equal exchanges in a history and a conversation, with the runs before it in both.
type run struct {
	// worth is that of the sequence, total that of all.
	worth, total int
	// sent and held are where it ends.
	sent, held int
	// begins says that the sequence starts at both beginnings, headed that the first of all does.
	begins, headed bool
}

// counts reports whether a run is significant.
func (r run) counts() bool { return r.begins || r.worth >= leastWorth }

// better reports whether a run is better than another one: it counts, is worth more with those before it, and ends
// later.
func (r run) better(other run) bool {
	if c := cmp.Or(first(r.counts(), other.counts()), -cmp.Compare(r.total, other.total)); c != 0 {
		return c < 0
	}
	return r.sent > other.sent || r.sent == other.sent && r.held >= other.held
}

// match finds the conversation with the best runs of exchanges, and the place of the new message in it: behind the last
// run. Clients drop exchanges between runs, and insert others from elsewhere. cut says that the history is longer than
// the sent part, named that the client has named the conversation.
//
// A conversation that has continued differently behind the run does not match unless the client has named it. Exchanges
// that came by another way than the client's are never replaced, and a run of little worth replaces none.
func match(sent []hashes, all []candidate, cut bool, asked []byte, named bool) (matched, bool) {
	type scored struct {
		run

		of     *candidate
		behind []exchange
		newest time.Time
	}
	var found []scored
	for i := range all {
		best, ok := all[i].best(sent, cut)
		if !ok || !named && !best.headed && !best.counts() {
			continue
		}
		c := scored{
			run: best, of: &all[i], behind: messagesIn(all[i].exchanges[best.held+1:]),
			newest: all[i].exchanges[len(all[i].exchanges)-1].at,
		}
		foreign := slices.ContainsFunc(c.behind, func(e exchange) bool { return !e.canContinue })
		elsewhere := len(c.behind) > 0 && best.sent < len(sent)-1
		if !named && (foreign || elsewhere) {
			continue
		}
		if foreign || elsewhere {
			c.behind = nil
		}
		found = append(found, c)
	}
	if len(found) == 0 {
		return matched{}, false
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.total, a.total), first(a.headed, b.headed), first(len(a.behind) == 0, len(b.behind) == 0),
			b.newest.Compare(a.newest))
	})
	best := found[0]
	if len(found) > 1 && !best.headed && best.total == leastWorth && found[1].total == best.total {
		// Ambiguous.
		return matched{}, false
	}
	m := matched{conversation: best.of.conversation, known: best.of.knows(sent), edited: best.of.edited(sent)}
	if len(best.behind) == 0 {
		return m, true
	}
	next := best.behind[0]
	same := asked != nil && bytes.Equal(next.asked, asked)
	if same || best.begins || best.worth >= sameBoth {
		m.next, m.same = next.id, same
	}
	return m, true
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// messagesIn returns the exchanges that are messages here.
func messagesIn(all []exchange) []exchange {
	return slices.DeleteFunc(slices.Clone(all), func(e exchange) bool { return e.fromClient })
}

// cell is the run that ends with a pair of equal exchanges.
type cell struct {
	run

	// before is the best run that ends before this one begins.
	before run
}

// best is the most significant run that ends with an exchange of the client here. maxExchanges and maxHeld bound the
// work.
func (h *candidate) best(sent []hashes, cut bool) (best run, ok bool) {
	previous := make([]cell, len(h.exchanges))
	// ended are the best significant runs of the rows so far, by the place before which they end in the conversation.
	ended := make([]run, len(h.exchanges)+1)
	for i, s := range sent {
		current := make([]cell, len(h.exchanges))
		for j, e := range h.exchanges {
			worth := e.worth(s)
			if worth == 0 {
				continue
			}
			c := cell{run: run{worth: worth, begins: i == 0 && j == 0 && !cut && !h.cut}, before: ended[j]}
			if i > 0 && j > 0 && previous[j-1].worth > 0 {
				c = previous[j-1]
				c.worth += worth
			}
			c.sent, c.held, c.total = i, j, c.worth+c.before.total
			c.headed = c.begins || c.before.headed
			current[j] = c
			if !e.fromClient && (!ok || c.better(best)) {
				best, ok = c.run, true
			}
		}
		keepBest(ended, current)
		previous = current
	}
	return best, ok
}

// keepBest merges the runs of a row into the best ones so far.
func keepBest(ended []run, row []cell) {
	for j, c := range row {
		if c.worth > 0 && c.counts() && c.better(ended[j+1]) {
			ended[j+1] = c.run
		}
		if ended[j].better(ended[j+1]) {
			ended[j+1] = ended[j]
		}
	}
}

// knows says for each sent exchange whether the conversation holds it. An exchange matches one question alone, unless
// the answer is the same or missing: a "yes" with another answer came from elsewhere.
func (h *candidate) knows(sent []hashes) []bool {
	known, taken := make([]bool, len(sent)), make([]bool, len(h.exchanges))
	for i, s := range sent {
		for j, e := range h.exchanges {
			if e.worth(s) >= sameAnswer {
				known[i], taken[j] = true, true
			}
		}
	}
	for i, s := range sent {
		if known[i] {
			continue
		}
		for j, e := range h.exchanges {
			if e.worth(s) == 0 || taken[j] && s.answered != nil {
				continue
			}
			known[i], taken[j] = true, true
			break
		}
	}
	return known
}

// edited finds sent exchanges whose answer the conversation holds and whose question it does not.
func (h *candidate) edited(sent []hashes) map[int]string {
	edited := map[int]string{}
	for i, s := range sent {
		asked := func(e exchange) bool { return bytes.Equal(e.asked, s.asked) }
		if s.asked == nil || slices.ContainsFunc(h.exchanges, asked) {
			continue
		}
		for _, e := range h.exchanges {
			if !e.fromClient && e.worth(s) >= sameAnswer {
				edited[i] = e.id
			}
		}
	}
	return edited
}

// worth is the similarity of an exchange to a sent one, 0 for a different one.
func (e exchange) worth(s hashes) int {
	if !e.canContinue && !e.fromClient {
		return 0
	}
	if s.turn != uuid.Nil && s.turn == e.turn {
		return sameBoth
	}
	worth := 0
	if s.asked != nil && bytes.Equal(s.asked, e.asked) {
		worth += sameQuestion
	}
	if s.answered != nil && bytes.Equal(s.answered, e.answered) {
		worth += sameAnswer
	}
	return worth
}
