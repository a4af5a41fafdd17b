package search

import "math"

// Information is the inverse document frequency of BM25 for a word that some of all documents hold: rare words weigh more.
func Information(all, holding float64) float64 {
	holding = min(holding, all)
	return math.Log(1 + (all-holding+0.5)/(holding+0.5))
}

// Saturated is the term frequency of BM25: the more often a word is there, the less the next one counts, by k1.
func Saturated(frequency, k1 float64) float64 { return frequency * (k1 + 1) / (k1 + frequency) }
