package toolsearch

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"countersign/tool"
)

// The weights of where a word stands, and of a word that means about the same.
const (
	nameWeight    = 4.0
	firstWeight   = 2.0
	textWeight    = 0.5
	inputWeight   = 1.0
	relatedWeight = 0.8
	// bothBonus is for a tool of whose name a query has the verb and what it is about.
	bothBonus = 1.5
	// questionBonus is for a tool that reads when a query asks something.
	questionBonus = 1.6
	// nameMeaning is what a name may stand for.
	nameMeaning   = meaningMark + "system"
	unknownWeight = 0.5
	// meaningMark sets meanings apart from words.
	meaningMark = "~"
)

// rank are the tools that a query has to do with, best first; equals by name. A word counts where a tool uses it or one
// that means about the same, the more the rarer it is among the tools, and less the more words a tool has.
func rank(all []described, query string) []described {
	docs := make([]map[string]float64, len(all))
	frequency := map[string]int{}
	for i, d := range all {
		docs[i] = document(d)
		for term := range docs[i] {
			frequency[term]++
		}
	}
	asked := terms(query)
	if named(query, asked) || unknown(asked, frequency) {
		// A name, and a word that no tool knows, is most often that of a system.
		asked[nameMeaning] = max(asked[nameMeaning], unknownWeight)
	}
	question := asks(query)
	type scored struct {
		tool  described
		score float64
	}
	var found []scored
	for i, d := range all {
		score := 0.0
		for term, weight := range asked {
			if in := docs[i][term]; in > 0 {
				idf := math.Log(1 + float64(len(all))/float64(frequency[term]))
				// A word that is said often does not count much more than one that is said.
				score += weight * idf * in / (in + 1.5)
			}
		}
		if verb, object, _ := strings.Cut(spaced(verbOf(d.Name)), " "); object != "" && meets(asked, verb) && meets(asked, object) {
			score *= bothBonus
		}
		if question && d.Effect == tool.Read {
			score *= questionBonus
		}
		if score > 0 {
			found = append(found, scored{d, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(math.Round(b.score*1e6), math.Round(a.score*1e6)), strings.Compare(a.tool.Name, b.tool.Name))
	})
	ranked := make([]described, len(found))
	for i, f := range found {
		ranked[i] = f.tool
	}
	return ranked
}

// unknown reports whether a query has a word that no tool knows.
func unknown(asked map[string]float64, frequency map[string]int) bool {
	for term := range asked {
		if frequency[term] == 0 && !strings.HasPrefix(term, meaningMark) {
			return true
		}
	}
	return false
}

// named reports whether a query has a name: a word with a capital behind the first one. What it means as a word counts for
// less then.
func named(query string, asked map[string]float64) bool {
	found := false
	for i, word := range strings.Fields(query) {
		runes := []rune(word)
		if i == 0 || !unicode.IsUpper(runes[0]) || strings.ToUpper(word) == word {
			continue
		}
		found = true
		for term, weight := range terms(word) {
			asked[term] = min(asked[term], weight*unknownWeight)
		}
	}
	return found
}

// asks reports whether a query is a question.
func asks(query string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(query)), " ")
	return strings.HasSuffix(strings.TrimSpace(query), "?") || questionWords[first]
}

// meets reports whether a query has a term of a text.
func meets(asked map[string]float64, text string) bool {
	for term := range terms(text) {
		if asked[term] > 0 {
			return true
		}
	}
	return false
}

// verbOf is the name without its module.
func verbOf(name string) string {
	_, verb, _ := strings.Cut(name, ".")
	return verb
}

// document is what a tool says of itself: its terms with their weights.
func document(d described) map[string]float64 {
	doc := map[string]float64{}
	add := func(text string, weight float64) {
		for term, share := range terms(text) {
			doc[term] = max(doc[term], weight*share)
		}
	}
	add(spaced(d.Name), nameWeight)
	first, rest, _ := strings.Cut(d.Description, "\n")
	lead := sentence(first)
	add(lead, firstWeight)
	// What a text says further on is about other tools too, so its words count as they are only.
	for term := range terms(strings.TrimPrefix(first, lead) + " " + rest) {
		if !strings.HasPrefix(term, meaningMark) {
			doc[term] = max(doc[term], textWeight)
		}
	}
	var input struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	if json.Unmarshal(d.InputSchema, &input) == nil {
		for _, name := range slices.Sorted(maps.Keys(input.Properties)) {
			add(spaced(name), inputWeight)
		}
	}
	return doc
}

// spaced parts a name in camel case into its words.
func spaced(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.NewReplacer(".", " ", "_", " ").Replace(b.String())
}

// terms are the stems of a text's telling words, and the meanings that they have part in.
func terms(text string) map[string]float64 {
	text = strings.ToLower(text)
	for _, p := range phrases {
		text = strings.ReplaceAll(text, p.said, p.meant)
	}
	found := map[string]float64{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if stopWords[word] {
			continue
		}
		s := stem(word)
		found[s] = 1
		for _, meaning := range meanings[s] {
			found[meaning] = max(found[meaning], relatedWeight)
		}
	}
	return found
}

// stem takes the commonest endings off a word.
func stem(word string) string {
	for _, end := range []struct{ long, short string }{
		{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ing", ""}, {"ed", ""}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if rest, ok := strings.CutSuffix(word, end.long); ok && len(rest) >= 3 {
			word = rest + end.short
			break
		}
	}
	// "stopped" and "stop", "delete" and "deleting" are the same.
	if n := len(word); n > 3 && word[n-1] == word[n-2] && !strings.ContainsRune("lsz", rune(word[n-1])) {
		word = word[:n-1]
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}
