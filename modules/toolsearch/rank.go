package toolsearch

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"countersign/internal/text/search"
	"countersign/tool"
)

// Weights of the place of a word, and of a related word.
const (
	nameWeight    = 4.0
	firstWeight   = 2.0
	textWeight    = 0.5
	inputWeight   = 1.0
	relatedWeight = 0.8
	// bothBonus is for a tool whose name the query covers: verb and object.
	bothBonus = 0.7
	// questionBonus is for a reading tool when the query is a question.
	questionBonus = 1.6
	// nameMeaning is the weight of the kind that a name may stand for.
	nameMeaning   = meaningMark + "system"
	unknownWeight = 0.5
	// typoWeight is the weight of a corrected word.
	typoWeight = 0.7
	// crowding is the penalty for a tool's share of the room.
	crowding = 1.5
	// saturation is the k1 of BM25.
	saturation = 1.5
	// meaningMark separates meanings from words.
	meaningMark = "~"
)

// scored is a tool with its score.
type scored struct {
	tool  Listing
	score float64
}

// rank returns the tools that match a query, best first, ties by name. A word or synonym weighs more the rarer it is
// among the tools, and less in a long description (TF-IDF).
func rank(all []Listing, query string, room tool.Room) []scored {
	docs := make([]map[string]float64, len(all))
	frequency := map[string]float64{}
	for i, d := range all {
		docs[i] = document(d)
		for term, in := range docs[i] {
			// A word in the remainder of a description counts less than one at its beginning.
			frequency[term] += min(1, in/firstWeight)
		}
	}
	asked := parsedQuery(query, frequency)
	question := isQuestion(query)
	var found []scored
	for i, d := range all {
		score := 0.0
		for term, weight := range asked {
			if in := docs[i][term]; in > 0 {
				idf := math.Log(1 + float64(len(all))/frequency[term])
				score += weight * idf * search.Saturated(in, saturation)
			}
		}
		score *= 1 + bothBonus*nameCoverage(d, asked, question)
		if question && d.Effect == tool.Read {
			score *= questionBonus
		}
		if room.Schemas > 0 {
			// A tool that takes more room has to fit better.
			score /= 1 + crowding*float64(room.Costs[wireOf(d)])/float64(room.Schemas)
		}
		if score > 0 {
			found = append(found, scored{d, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(math.Round(b.score*1e6), math.Round(a.score*1e6)), strings.Compare(a.tool.Name, b.tool.Name))
	})
	return found
}

// documents caches the parsed tools, up to the number of the product's own.
var documents sync.Map

// document holds the weighted terms of a tool.
func document(d Listing) map[string]float64 {
	key := d.Name + "\n" + d.Description + "\n" + string(d.InputSchema)
	known, _ := documents.Load(key)
	if doc, ok := known.(map[string]float64); ok {
		return doc
	}
	doc := read(d)
	documents.Store(key, doc)
	return doc
}

func read(d Listing) map[string]float64 {
	doc := map[string]float64{}
	add := func(text string, weight float64) {
		for term, share := range terms(text) {
			doc[term] = max(doc[term], weight*share)
		}
	}
	add(spaced(d.Name), nameWeight)
	first, rest, _ := strings.Cut(d.Description, "\n")
	lead := sentence(first)
	add(strings.TrimPrefix(lead, "Propose to "), firstWeight)
	// Later sentences can be about another tool that they name, or about what does not happen: their words count
	// without synonyms.
	for said := range sentences(strings.TrimPrefix(first, lead) + " " + rest) {
		aside := strings.Contains(said, "_") || strings.Contains(said, "issue") || isNegated(said)
		for term, share := range terms(said) {
			if !aside || !strings.HasPrefix(term, meaningMark) {
				doc[term] = max(doc[term], textWeight*share)
			}
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

// isNegated reports whether a sentence says what a tool does not do.
func isNegated(said string) bool {
	said = strings.ToLower(said)
	return strings.HasPrefix(said, "nothing") || strings.Contains(said, "never")
}

// sentences splits a text.
func sentences(text string) iter.Seq[string] {
	return strings.SplitSeq(strings.ReplaceAll(text, "\n", ". "), ". ")
}

// spaced splits a camel-case name into words.
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

// terms returns the stems of a text without stop words, and their meanings.
func terms(text string) map[string]float64 {
	found := map[string]float64{}
	for word := range strings.FieldsSeq(phrases.Replace(" " + strings.Join(search.Words(text), "  ") + " ")) {
		if stopWords[word] {
			continue
		}
		addStem(found, stem(word), 1)
		if plain := strings.Trim(word, "0123456789"); plain != word && plain != "" {
			addStem(found, stem(plain), 1)
		}
	}
	return found
}

// addStem adds a stem with its meanings.
func addStem(found map[string]float64, s string, weight float64) {
	found[s] = max(found[s], weight)
	for _, meaning := range meanings[s] {
		found[meaning] = max(found[meaning], weight*relatedWeight)
	}
}

// stem removes the most frequent endings of a word.
func stem(word string) string {
	for _, end := range []struct{ long, short string }{
		{"ies", "y"},
		{"sses", "ss"},
		{"ches", "ch"},
		{"shes", "sh"},
		{"xes", "x"},
		{"ing", ""},
		{"ed", ""},
		{"ss", "ss"},
		{"us", "us"},
		{"is", "is"},
		{"s", ""},
	} {
		if rest, ok := strings.CutSuffix(word, end.long); ok && len(rest) >= 3 {
			word = rest + end.short
			break
		}
	}
	// "stopped" and "stop", "delete" and "deleting" are equal.
	if n := len(word); n > 3 && word[n-1] == word[n-2] && !strings.ContainsRune("lsz", rune(word[n-1])) {
		word = word[:n-1]
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}
