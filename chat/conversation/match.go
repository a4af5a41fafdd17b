package conversation

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// What an equal exchange is worth. Questions repeat themselves more often than answers do.
const (
	sameQuestion = 1
	sameAnswer   = 2
	sameBoth     = 3
	// leastWorth is what a run is worth that does not begin where both begin: less may be a "yes" that was said elsewhere.
	leastWorth = 2
)

// matched is where in a conversation a history ends.
type matched struct {
	conversation uuid.UUID
	next         string
	same         bool
	// known says of each exchange that was sent whether the conversation holds it.
	known []bool
}

// run is a row of equal exchanges in a history and in a conversation.
type run struct {
	worth int
	// sent and held are where it ends.
	sent, held int
	// begins says that it begins where both begin.
	begins bool
}

// match finds the conversation that holds the run of exchanges which is worth most, and where the new message belongs
// in it. cut says that the history is longer than what was sent here, named that the client has named the conversation.
//
// A conversation that has gone another way behind the run is none for a client that has not named it. What came behind
// by another way than the client's is never replaced, and nothing is replaced for a run that is worth little.
func match(sent []hashes, all []held, cut bool, asked []byte, named bool) (matched, bool) {
	type candidate struct {
		run

		of     *held
		behind []exchange
		newest time.Time
	}
	var found []candidate
	for i := range all {
		best, ok := all[i].best(sent, cut)
		if !ok || !named && !best.begins && best.worth < leastWorth {
			continue
		}
		c := candidate{run: best, of: &all[i], behind: messagesIn(all[i].exchanges[best.held+1:]),
			newest: all[i].exchanges[len(all[i].exchanges)-1].at}
		foreign := slices.ContainsFunc(c.behind, func(e exchange) bool { return !e.own })
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
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), first(a.begins, b.begins),
			first(len(a.behind) == 0, len(b.behind) == 0), b.newest.Compare(a.newest))
	})
	best := found[0]
	if len(found) > 1 && !best.begins && best.worth == leastWorth && found[1].worth == best.worth {
		// It could be either.
		return matched{}, false
	}
	m := matched{conversation: best.of.conversation, known: best.of.knows(sent)}
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

// messagesIn are those that are messages here.
func messagesIn(all []exchange) []exchange {
	return slices.DeleteFunc(slices.Clone(all), func(e exchange) bool { return e.told })
}

// best is the run that is worth most and ends with an exchange of the client here; of several that which ends last. The
// work is bounded by maxExchanges and maxStored.
func (h *held) best(sent []hashes, cut bool) (best run, ok bool) {
	previous := make([]run, len(h.exchanges))
	for i, s := range sent {
		current := make([]run, len(h.exchanges))
		for j, e := range h.exchanges {
			worth := e.worth(s)
			if worth == 0 {
				continue
			}
			r := run{worth: worth, sent: i, held: j, begins: i == 0 && j == 0 && !cut && !h.cut}
			if i > 0 && j > 0 && previous[j-1].worth > 0 {
				r.worth += previous[j-1].worth
				r.begins = previous[j-1].begins
			}
			current[j] = r
			if !e.told && r.worth >= best.worth {
				best, ok = r, true
			}
		}
		previous = current
	}
	return best, ok
}

// knows says of each exchange that was sent whether the conversation holds it.
func (h *held) knows(sent []hashes) []bool {
	known := make([]bool, len(sent))
	for i, s := range sent {
		known[i] = slices.ContainsFunc(h.exchanges, func(e exchange) bool { return e.worth(s) > 0 })
	}
	return known
}

// worth is how much an exchange of a history tells of being this one, 0 when it is another.
func (e exchange) worth(s hashes) int {
	if !e.own && !e.told {
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
