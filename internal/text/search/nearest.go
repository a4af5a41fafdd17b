package search

import "strings"

// maxName bounds compared names: a longer name is no typo.
const maxName = 100

// Nearest is the known name that is nearest to the given one, "" when none is near. Case, dots, hyphens and underscores count for nothing.
func Nearest(name string, known []string) string {
	best, least := "", 0
	plain := fold(name)
	if len(plain) > maxName {
		return ""
	}
	for _, k := range known {
		other := fold(k)
		d := Distance(plain, other)
		// Half of it may be wrong at most, or one contains the other.
		near := d <= max(len(plain), len(other))/3 ||
			len(plain) >= 4 && len(other) >= 4 && (strings.Contains(other, plain) || strings.Contains(plain, other))
		if near && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// Hint continues a sentence: " Did you mean x?" where a name is near, else "".
func Hint(name string, known []string) string {
	if n := Nearest(name, known); n != "" {
		return " Did you mean " + n + "?"
	}
	return ""
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

func fold(name string) string { return separators.Replace(strings.ToLower(name)) }

// Distance is the Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of bytes. It is 100
// where a text is longer than that.
func Distance(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return maxName
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
