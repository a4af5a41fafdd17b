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

	"countersign/tool"
)

// The weights of where a word stands, and of a word that means about the same.
const (
	nameWeight    = 4.0
	firstWeight   = 2.0
	textWeight    = 0.5
	inputWeight   = 1.0
	relatedWeight = 0.8
	// bothBonus is for a tool of whose name a query has the verb and all that it is about.
	bothBonus = 0.7
	// questionBonus is for a tool that reads when a query asks something.
	questionBonus = 1.6
	// nameMeaning is what a name may stand for.
	nameMeaning   = meaningMark + "system"
	unknownWeight = 0.5
	// typoWeight is that of a word that was meant, probably.
	typoWeight = 0.7
	// crowding is how much the share of the room that a tool takes counts against it.
	crowding = 1.5
	// meaningMark sets meanings apart from words.
	meaningMark = "~"
)

// scored is a tool with how well it fits a query.
type scored struct {
	tool  described
	score float64
}

// rank are the tools that a query has to do with, best first; equals by name. A word counts where a tool uses it or one
// that means about the same, the more the rarer it is among the tools, and less the more words a tool has.
func rank(all []described, query string, room tool.Room) []scored {
	docs := make([]map[string]float64, len(all))
	frequency := map[string]float64{}
	for i, d := range all {
		docs[i] = document(d)
		for term, in := range docs[i] {
			// What a text says on the side makes a word less common than what it begins with.
			frequency[term] += min(1, in/firstWeight)
		}
	}
	asked := understood(query, frequency)
	question := asks(query)
	var found []scored
	for i, d := range all {
		score := 0.0
		for term, weight := range asked {
			if in := docs[i][term]; in > 0 {
				idf := math.Log(1 + float64(len(all))/frequency[term])
				// A word that is said often does not count much more than one that is said.
				score += weight * idf * in / (in + 1.5)
			}
		}
		score *= 1 + bothBonus*nameMet(d, asked, question)
		if question && d.Effect == tool.Read {
			score *= questionBonus
		}
		if room.Schemas > 0 {
			// What takes the room of others has to fit better than they do.
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

// documents are those of the tools that were searched: as many as the product has.
var documents sync.Map

// document is what a tool says of itself: its terms with their weights.
func document(d described) map[string]float64 {
	key := d.Name + "\n" + d.Description + "\n" + string(d.InputSchema)
	known, _ := documents.Load(key)
	if doc, ok := known.(map[string]float64); ok {
		return doc
	}
	doc := read(d)
	documents.Store(key, doc)
	return doc
}

func read(d described) map[string]float64 {
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
	// What a text says further on can be about another tool, which it then names, or about what does not happen: such words
	// count as they are only.
	for said := range sentences(strings.TrimPrefix(first, lead) + " " + rest) {
		aside := strings.Contains(said, "_") || strings.Contains(said, "issue") || denies(said)
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

// denies reports whether a sentence says what a tool does not do, or what not to do with it.
func denies(said string) bool {
	said = strings.ToLower(said)
	return strings.HasPrefix(said, "nothing") || strings.Contains(said, "never")
}

// sentences are those of a text.
func sentences(text string) iter.Seq[string] {
	return strings.SplitSeq(strings.ReplaceAll(text, "\n", ". "), ". ")
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
	found := map[string]float64{}
	for word := range strings.FieldsSeq(phrases.Replace(" " + strings.Join(split(text), "  ") + " ")) {
		if stopWords[word] {
			continue
		}
		learn(found, stem(word), 1)
		if plain := strings.Trim(word, "0123456789"); plain != word && plain != "" {
			learn(found, stem(plain), 1)
		}
	}
	return found
}

// learn adds a stem with its meanings.
func learn(found map[string]float64, s string, weight float64) {
	found[s] = max(found[s], weight)
	for _, meaning := range meanings[s] {
		found[meaning] = max(found[meaning], weight*relatedWeight)
	}
}

// split are the words of a text in lower case.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
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
