// Package question holds test questions about the product with the places of the documentation that answer them, and
// measures the recall of a search. Only tests and benchmarks use it.
package question

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Question is a question in a user's own words.
type Question struct {
	// Own reports that the question uses the words of the page that answers it.
	Own  bool
	Text string
	// Places answer the question, any of them: page#section, or a page for its text before the first section.
	Places []string
}

//go:embed asked.txt
var asked string

//go:embed held-out.txt
var heldOut string

// Asked returns the questions for improving the ranking, the synonyms and the pages.
func Asked() ([]Question, error) { return read(asked) }

// HeldOut returns questions that nothing is tuned by, to measure how well the others generalise.
func HeldOut() ([]Question, error) { return read(heldOut) }

func read(text string) ([]Question, error) {
	var all []Question
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 || parts[0] != "own" && parts[0] != "other" {
			return nil, fmt.Errorf("questions: %q is not \"own or other | question | places\"", line)
		}
		all = append(all, Question{Own: parts[0] == "own", Text: parts[1], Places: strings.Split(parts[2], ", ")})
	}
	return all, nil
}

// Recall counts the questions that a search answers.
type Recall struct {
	Questions int
	// First and Third count those answered by the first hit, and by one of the first three.
	First, Third int
	// Missed are the questions that none of the first three hits answers, with those hits.
	Missed []string
}

// Measure measures a search that returns places, best first.
func Measure(questions []Question, search func(text string) []string) Recall {
	r := Recall{Questions: len(questions)}
	for _, q := range questions {
		found := search(q.Text)
		found = found[:min(len(found), 3)]
		switch at := slices.IndexFunc(found, func(place string) bool { return slices.Contains(q.Places, place) }); {
		case at == 0:
			r.First++
			r.Third++
		case at > 0:
			r.Third++
		default:
			r.Missed = append(r.Missed, fmt.Sprintf("%s: %s", q.Text, strings.Join(found, ", ")))
		}
	}
	return r
}

// Of converts a count to percent.
func (r Recall) Of(count int) float64 { return 100 * float64(count) / float64(max(r.Questions, 1)) }

func (r Recall) String() string {
	return fmt.Sprintf("recall@1 %.1f %%, recall@3 %.1f %% of %d", r.Of(r.First), r.Of(r.Third), r.Questions)
}
