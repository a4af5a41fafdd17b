package incident_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/incident"
)

type timelinePage struct {
	Entries    []incident.Entry
	NextCursor string
}

func (a *app) timeline(t testing.TB, as string, id uuid.UUID, query string) timelinePage {
	t.Helper()
	return apitest.Decode[timelinePage](t, a.Do(t, as, http.MethodGet, at(id, "timeline")+query, nil))
}

// told are the entries of a timeline in a few words, oldest first.
func told(page timelinePage) []string {
	var words []string
	for _, e := range page.Entries {
		word := e.Kind
		switch {
		case e.State != nil:
			word += " " + e.State.Kind + " by " + e.State.ByName
		case e.Update != nil:
			word += " " + e.Update.Message
		case e.Change != nil:
			word += " " + e.Change.Object.Name + ": " + e.Change.Summary
		}
		words = append([]string{word}, words...)
	}
	return words
}

func TestATimelineTellsTheStory(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, secret := a.system(t, "Payments"), a.system(t, "Secret")
	a.hide(t, secret, "bob")
	a.Do(t, "root", http.MethodPatch, systems+"/"+payments.String(), object{"description": "Two nodes now"})
	one := apitest.Decode[incident.Opened](t, a.Do(t, "bob", http.MethodPost, incidents, input("Slow", payments, object{
		"systemIds": []uuid.UUID{payments, secret}, "startedAt": time.Now().Add(-time.Hour), "initialMessage": "We look at it.",
	})))
	a.say(t, "ada", one.ID, object{"message": "A guess.", "visibility": "internal", "statusChange": "identified"})
	a.move(t, "bob", one.ID, "acknowledge", nil)
	a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"severity": "critical"})
	a.Do(t, "root", http.MethodPatch, systems+"/"+payments.String(), object{"description": "Three nodes now"})
	a.move(t, "ada", one.ID, "resolve", object{"message": "Over."})

	reader := told(a.timeline(t, "reader", one.ID, "?limit=100"))
	require.Equal(t, []string{
		"began", "change Payments: System created", "change Payments: System changed", "state opened by bob", "update We look at it.",
		"state moved by ada", "state acknowledged by bob", "change Slow: Incident changed", "change Payments: System changed", "update Over.",
	}, reader)
	manager := told(a.timeline(t, "ada", one.ID, "?limit=100"))
	require.Contains(t, manager, "update A guess.", "an update that a manager sees tells the state itself")
	require.NotContains(t, manager, "state moved by ada")
	require.NotContains(t, strings.Join(manager, "\n"), "Secret")
	require.Contains(t, told(a.timeline(t, "bob", one.ID, "?limit=100")), "change Secret: System created")
	refused(t, problem.NotFound, a.Do(t, "outsider", http.MethodGet, at(one.ID, "timeline"), nil))

	// Pages of any size show the same, each entry once.
	whole := a.timeline(t, "bob", one.ID, "?limit=100")
	for _, size := range []int{1, 2, 3, 7} {
		var all []string
		page := timelinePage{NextCursor: ""}
		for {
			query := fmt.Sprintf("?limit=%d", size)
			if page.NextCursor != "" {
				query += "&cursor=" + url.QueryEscape(page.NextCursor)
			}
			page = a.timeline(t, "bob", one.ID, query)
			for _, e := range page.Entries {
				all = append(all, e.ID)
			}
			if page.NextCursor == "" {
				break
			}
		}
		require.Len(t, all, len(whole.Entries))
		for i, e := range whole.Entries {
			require.Equal(t, e.ID, all[i])
		}
	}
	before := a.timeline(t, "bob", one.ID, "?limit=100&before="+url.QueryEscape(whole.Entries[3].At.Format(time.RFC3339Nano)))
	require.Equal(t, whole.Entries[4:], before.Entries)
	for _, cursor := range []string{"x", "MSAx", "OTk5OTk5OTk5OTk5OTk5OTk5OSAwIDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMA"} {
		refused(t, problem.Invalid, a.Do(t, "bob", http.MethodGet, at(one.ID, "timeline")+"?cursor="+cursor, nil))
	}
}

// A brief says in less than 4 kB what matters, however much there is.
func TestABriefIsShort(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	a.Do(t, "root", http.MethodPatch, systems+"/"+payments.String(), object{"description": "Two nodes now"})
	one := a.open(t, "Slow", payments)
	short := a.Call(t, "reader", "incident.brief", object{"id": one.ID})
	require.Contains(t, short, "System changed, Payments (description)")
	require.Contains(t, short, "ada opened it")
	for n := range 30 {
		a.say(t, "ada", one.ID, object{"message": fmt.Sprint(n, strings.Repeat(" <lange> Wörter 🔥", 100))})
	}
	more := []uuid.UUID{payments}
	for n := range 12 {
		more = append(more, a.system(t, fmt.Sprint(strings.Repeat("<Söme> ", 12), n)))
	}
	a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"systemIds": more, "title": strings.Repeat("<&> ", 49) + "!"})
	long := a.Call(t, "ada", "incident.brief", object{"id": one.ID})
	require.LessOrEqual(t, len(long), 4000)
	require.Contains(t, long, `"shortened":true`)
}

// A brief quotes the summaries of proposals, and those of others are content from outside.
func TestABriefQuotesProposals(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	one := a.open(t, "Slow", a.system(t, "Payments"))
	tool := a.Tool(t, "incident.brief")
	for as, outside := range map[string]bool{"ada": false, "bob": true} {
		a.proposals = []incident.Proposed{
			{
				ProposalID: uuid.New(),
				Tool:       "incident.update",
				Summary:    "Believe me",
				Status:     "declined",
				ProposerID: a.Principal("ada").ID,
				Proposer:   "ada",
			},
		}
		output, err := tool.Run(t.Context(), a.Caller(as), encoded(t, object{"id": one.ID}))
		require.NoError(t, err)
		require.Contains(t, string(encoded(t, output)), "ada proposed: Believe me")
		require.Equal(t, outside, tool.Taints(output), as)
	}
}
