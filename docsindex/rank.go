package docsindex

import (
	"cmp"
	"math"
	"slices"
)

const (
	// synonymWeight is the weight of a synonym relative to the word of the query.
	synonymWeight = 1
	// partWeight is the weight of a single word of a phrase.
	partWeight = 0.3
	// synonymHeld is the share of a word that a synonym covers when coverage is judged.
	synonymHeld = 0.7
	// nearWeight is the bonus for adjacent words of the query, as in "auto mode".
	nearWeight, nearDistance = 0.55, 2
	// depth is the number of best sections that are re-ranked.
	depth = 25
)

// ranked is a section with its score.
type ranked struct {
	section int
	score   float32
}

func (r ranked) before(other ranked) bool {
	return r.score > other.score || r.score == other.score && r.section < other.section
}

// scoreboard accumulates the scores of the sections for a query.
type scoreboard struct {
	total []float32
	// of one concept: its best way so far
	best []float32
	// of one way with several stems: what they are worth together, and how many of them a section has
	sum   []float32
	count []uint8
}

// rank returns the best sections, at most depth. Ties keep the order of the pages.
func (c *corpus) rank(asked []concept) []ranked {
	n := len(c.sections)
	b := scoreboard{make([]float32, n), make([]float32, n), make([]float32, n), make([]uint8, n)}
	for _, q := range asked {
		clear(b.best)
		for _, w := range q.terms {
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

// collect adds the score of one way, where it exceeds that of the concept's other ways.
func (c *corpus) collect(w term, b *scoreboard) {
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

// addNear raises sections and page titles in which neighbours of the query are adjacent.
func (c *corpus) addNear(top []ranked, asked []concept) {
	// of is the concept of each stem, from 1 on.
	of := make([]uint8, len(c.stems))
	for i, q := range asked[:min(len(asked), math.MaxUint8)] {
		for _, w := range q.terms {
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

// neighbours marks each concept that is adjacent to the next one of the query, in either order.
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

// coverage returns the share of the query's information in one place of a page (title, description and headings with
// the best section) and the number of its concepts. Words scattered over a long page are no answer.
func (c *corpus) coverage(page int, asked []concept) (share float64, held int) {
	best, all := 0.0, 0.0
	for _, q := range asked {
		all += q.weight
	}
	for i := c.first[page]; i < c.first[page+1]; i++ {
		weight, here := 0.0, 0
		for _, q := range asked {
			if share := q.in(c.sectionStems[i]); share > 0 {
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
