package docsindex

import (
	"cmp"
	"math"
	"slices"
)

const (
	// synonymWeight is how much another word for a thing counts beside the word of the query.
	synonymWeight = 1
	// partWeight is how much a word counts of a phrase that is not there as a whole.
	partWeight = 0.3
	// synonymHeld is how much of a word another word for it is, when it is judged whether a page covers the query.
	synonymHeld = 0.7
	// nearWeight is what it tells that two words of the query stand side by side, as in "auto mode".
	nearWeight, nearDistance = 0.55, 2
	// depth is how many of the best sections are looked at once more.
	depth = 25
)

// ranked is a section and what it is worth to a query.
type ranked struct {
	section int
	score   float32
}

func (r ranked) before(other ranked) bool {
	return r.score > other.score || r.score == other.score && r.section < other.section
}

// board is where the sections of a corpus collect what a query is worth to them.
type board struct {
	total []float32
	// of one concept: its best way so far
	best []float32
	// of one way with several stems: what they are worth together, and how many of them a section has
	sum   []float32
	count []uint8
}

// rank answers the best sections, at most depth. Equal ones come in the order of the pages.
func (c *corpus) rank(asked []concept) []ranked {
	n := len(c.sections)
	b := board{make([]float32, n), make([]float32, n), make([]float32, n), make([]uint8, n)}
	for _, q := range asked {
		clear(b.best)
		for _, w := range q.ways {
			c.collect(w, &b)
		}
		for i, score := range b.best {
			b.total[i] += score
		}
	}
	top := make([]ranked, 0, depth+1)
	for i, score := range b.total {
		r := ranked{i, score}
		if score > 0 && (len(top) < depth || r.before(top[depth-1])) {
			top = insert(top, r)
			top = top[:min(len(top), depth)]
		}
	}
	if len(asked) > 1 {
		c.addNear(top, asked)
	}
	return top
}

// collect adds what one way of saying a concept is worth, where it is worth more than the ways before.
func (c *corpus) collect(w way, b *board) {
	if len(w.stems) == 1 {
		for _, p := range c.postings[w.stems[0]] {
			b.best[p.section] = max(b.best[p.section], w.weight*p.weight)
		}
		return
	}
	clear(b.sum)
	clear(b.count)
	for _, s := range w.stems {
		for _, p := range c.postings[s] {
			b.sum[p.section] += w.weight * p.weight
			b.count[p.section]++
		}
	}
	for i, n := range b.count {
		if int(n) == len(w.stems) {
			b.best[i] = max(b.best[i], b.sum[i])
		}
	}
}

func insert(top []ranked, r ranked) []ranked {
	at, _ := slices.BinarySearchFunc(top, r, func(have, want ranked) int {
		if have.before(want) {
			return -1
		}
		return 1
	})
	return slices.Insert(top, at, r)
}

// addNear raises sections, or the titles of their pages, in which neighbours of the query are neighbours too.
func (c *corpus) addNear(top []ranked, asked []concept) {
	// of is the number of the concept that a stem stands for, from 1 on.
	of := make([]uint8, len(c.stems))
	for i, q := range asked[:min(len(asked), math.MaxUint8)] {
		for _, w := range q.ways {
			if len(w.stems) == 1 && of[w.stems[0]] == 0 {
				of[w.stems[0]] = uint8(i + 1)
			}
		}
	}
	found := make([]bool, len(asked))
	for i, r := range top {
		s := c.sections[r.section]
		clear(found)
		neighbours(c.flow[r.section], of, found)
		neighbours(c.titles[s.page], of, found)
		for pair, together := range found {
			if together {
				top[i].score += float32(nearWeight * min(asked[pair].weight, asked[pair+1].weight))
			}
		}
	}
	slices.SortFunc(top, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.section, b.section))
	})
}

// neighbours marks each concept that stands near the next one of the query, in either order.
func neighbours(stems []int32, of []uint8, found []bool) {
	for i, s := range stems {
		if of[s] == 0 {
			continue
		}
		for _, other := range stems[i+1 : min(i+1+nearDistance, len(stems))] {
			switch a, b := of[s], of[other]; {
			case b == 0:
			case b == a+1:
				found[a-1] = true
			case a == b+1:
				found[b-1] = true
			}
		}
	}
}

// coverage is how much of the query one place of a page holds: its title, description and headings together with its best
// section. Words that are scattered over a long page are no answer. It answers the share of the query's information, in
// which each concept counts with its weight, and how many concepts are there.
func (c *corpus) coverage(page int, asked []concept) (share float64, held int) {
	best, all := 0.0, 0.0
	for _, q := range asked {
		all += q.weight
	}
	for i := c.first[page]; i < c.first[page+1]; i++ {
		weight, here := 0.0, 0
		for _, q := range asked {
			if share := q.in(c.holds[i]); share > 0 {
				weight += share * q.weight
				here++
			}
		}
		if weight > best {
			best, held = weight, here
		}
	}
	if all == 0 {
		return 0, 0
	}
	return best / all, held
}
