package docsindex_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/docsindex"
	"countersign/docsindex/question"
)

// The least share of questions, in percent, that the first hit answers, and one of the first three.
const (
	askedFirst, askedThird     = 70, 95
	heldOutFirst, heldOutThird = 60, 70
)

func TestPeopleFindTheSectionThatAnswersThem(t *testing.T) {
	t.Parallel()
	ix := load(t)
	for name, set := range map[string]struct {
		read         func() ([]question.Question, error)
		least        int
		first, third float64
	}{
		"asked":    {question.Asked, 80, askedFirst, askedThird},
		"held out": {question.HeldOut, 30, heldOutFirst, heldOutThird},
	} {
		questions, err := set.read()
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(questions), set.least)
		recall := question.Measure(questions, places(ix))
		t.Logf("%s: %s", name, recall)
		require.GreaterOrEqual(t, recall.Of(recall.First), set.first, "%s: %s", name, recall)
		require.GreaterOrEqual(t, recall.Of(recall.Third), set.third, "%s: %s\n%s", name, recall, strings.Join(recall.Missed, "\n"))
	}
}

// What people ask every day is answered by the first hit.
func TestEverydayQuestionsAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	search := places(load(t))
	for text, place := range map[string]string{
		"How does propose and apply work?": "concepts/proposals-and-approval#propose-decide-apply",
		"how long does a proposal wait":    "concepts/proposals-and-approval#how-long-a-proposal-is-valid-before-it-expires",
		"What is auto mode?":               "concepts/permission-modes#auto-mode",
		"auto mode":                        "concepts/permission-modes#auto-mode",
		"How do I reset a password?":       "how-to/manage-people#reset-a-forgotten-password",
		"reset a password":                 "how-to/manage-people#reset-a-forgotten-password",
	} {
		require.Equal(t, place, search(text)[0], text)
	}
}

// TestPeopleOnCallAreAnsweredAtOnce asks what they ask every day, in their words.
func TestPeopleOnCallAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	search := places(load(t))
	for text, place := range map[string]string{
		"Who is on call right now?":                  "how-to/set-up-on-call#see-who-is-on-call-right-now",
		"How do I take over on-call for tonight?":    "how-to/set-up-on-call#swap-a-shift-or-take-over-on-call-for-tonight",
		"Who gets called if the shop goes down now?": "how-to/set-up-on-call#who-gets-called-if-a-system-goes-down-now",
		"Why was I not called?":                      "concepts/on-call#why-was-i-called-or-not-and-who-is-called-when",
		"How do I get notifications on my phone?":    "how-to/set-up-notifications#get-notifications-on-your-phone-or-in-your-browser",
		"How do I acknowledge an incident?":          "concepts/incidents#acknowledging-an-incident-who-looks-after-it",
		"How do I merge duplicate incidents?":        "how-to/manage-incidents#merge-duplicates",
		"Is anybody called during planned work?":     "concepts/maintenances#suppressed-notifications-nobody-is-called-during-planned-work",
		"How do I connect Prometheus Alertmanager?":  "how-to/receive-alerts",
		"What does the delivery state unknown mean?": "concepts/notifications#states-of-deliveries",
		"How do I stop notifications at night?":      "how-to/set-up-notifications#do-not-disturb-set-quiet-hours-at-night",
	} {
		require.Equal(t, place, search(text)[0], text)
	}
}

// A place that does not exist would be a question that nothing can answer, and one that is asked in the words of the page
// measures nothing when it is counted among the others.
func TestQuestionsAreAboutPlacesThatExist(t *testing.T) {
	t.Parallel()
	ix := load(t)
	seen := map[string]bool{}
	for _, read := range []func() ([]question.Question, error){question.Asked, question.HeldOut} {
		questions, err := read()
		require.NoError(t, err)
		own := 0
		for _, q := range questions {
			require.False(t, seen[q.Text], "%s stands twice", q.Text)
			seen[q.Text] = true
			if q.Own {
				own++
			}
			for _, place := range q.Places {
				slug, anchor, _ := strings.Cut(place, "#")
				page, err := ix.Get(slug)
				require.NoError(t, err, q.Text)
				require.Equal(t, slug, page.Slug)
				known := anchor == ""
				for _, h := range page.Headings {
					known = known || h.Anchor == anchor
				}
				require.True(t, known, "%s: %s", q.Text, place)
			}
		}
		require.InDelta(t, len(questions)/2, own, 1, "half of them are in other words")
	}
}

// places searches as people do, for the sections that are found.
func places(ix *docsindex.Index) func(string) []string {
	return func(text string) []string {
		var found []string
		for _, hit := range ix.Search(text, docsindex.DefaultLimit).Hits {
			place := hit.Slug
			if hit.Anchor != "" {
				place += "#" + hit.Anchor
			}
			found = append(found, place)
		}
		return found
	}
}

// BenchmarkSearch is the time of one search; test/bench measures its distribution.
func BenchmarkSearch(b *testing.B) {
	ix, err := docsindex.Load()
	require.NoError(b, err)
	questions, err := question.Asked()
	require.NoError(b, err)
	b.ReportAllocs()
	began, n := time.Now(), 0
	for b.Loop() {
		ix.Search(questions[n%len(questions)].Text, docsindex.DefaultLimit)
		n++
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/float64(n), "µs/search")
}
