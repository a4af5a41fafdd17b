// Package question holds what people ask about the product, each with the places of the documentation that answer it, and
// measures by it how well a search finds them. Tests and measurements use it; the product does not.
package question

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Question is what somebody asks, as people write it.
type Question struct {
	// Own says that the question uses the words of the page that answers it; the others were written in other words.
	Own  bool
	Text string
	// Places answer the question, any of them: page#section, or a page for what it says before its first section.
	Places []string
}

//go:embed asked.txt
var asked string

//go:embed held-out.txt
var heldOut string

// Asked are the questions by which the ranking, the synonyms and the pages are improved.
func Asked() ([]Question, error) { return read(asked) }

// HeldOut are questions of the same kind by which nothing is chosen: they tell what the others are worth.
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

// Recall is how many of some questions a search answers.
type Recall struct {
	Questions int
	// First and Third count those that the first hit answers, and one of the first three.
	First, Third int
	// Missed are those that none of the first three answers, with what was found instead.
	Missed []string
}

// Measure asks a search that answers places, best first.
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

// Of is a share in percent.
func (r Recall) Of(count int) float64 { return 100 * float64(count) / float64(max(r.Questions, 1)) }

func (r Recall) String() string {
	return fmt.Sprintf("recall@1 %.1f %%, recall@3 %.1f %% of %d", r.Of(r.First), r.Of(r.Third), r.Questions)
}
