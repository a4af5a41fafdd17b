package app_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"countersign/app/apptest"
	"countersign/check/history"
)

// TestTheDemoCompanyIsThere starts a product with it, and another time: what is there is not made again.
func TestTheDemoCompanyIsThere(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"COUNTERSIGN_DEMO_COMPANY": "127.0.0.1:0", "COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.1", "COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1",
	}
	p := apptest.Start(t, apptest.Options{Env: env})
	type list struct {
		Systems []struct {
			Name     string
			Owners   []struct{ Name string }
			Contacts []struct{ Type string }
			Links    []struct{ Label string }
		} `json:"systems"`
		Checks []struct {
			Name    string
			Systems int
		} `json:"checks"`
		Applications []struct{ Name string }   `json:"applications"`
		Teams        []struct{ ID uuid.UUID }  `json:"teams"`
		Incidents    []struct{ Status string } `json:"incidents"`
		Maintenances []struct{ Status string } `json:"maintenances"`
		Schedules    []struct {
			OnCall []struct{ Name string }
			People []struct{ Name string }
		} `json:"schedules"`
		Policies []struct {
			Steps    []struct{}
			Warnings []struct{ Message string }
		} `json:"policies"`
	}
	read := func(p *apptest.Product, path string) list {
		var out list
		p.Admin.Get(t, path, &out)
		return out
	}
	systems := read(p, "/api/catalog/systems?limit=100").Systems
	require.Len(t, systems, 13)
	for _, s := range systems {
		require.Len(t, s.Owners, 1, s.Name)
		require.Len(t, s.Contacts, 2, s.Name)
		require.Len(t, s.Links, 1, s.Name)
	}
	checks := read(p, "/api/healthcheck/checks").Checks
	require.Len(t, checks, 3)
	require.Equal(t, 13, checks[2].Systems, checks[2].Name)
	require.Empty(t, read(p, "/api/applications").Applications, "who made the records is gone")
	incidents := read(p, "/api/incidents").Incidents
	require.Len(t, incidents, 4)
	require.Equal(t, "identified", incidents[0].Status)
	require.Equal(t, "resolved", incidents[1].Status)
	require.Len(t, read(p, "/api/maintenances?status=scheduled").Maintenances, 3)

	schedules := read(p, "/api/oncall/schedules").Schedules
	require.Len(t, schedules, 1)
	require.Len(t, schedules[0].OnCall, 1)
	require.Len(t, schedules[0].People, 2)
	policies := read(p, "/api/oncall/policies").Policies
	require.Len(t, policies, 1)
	require.Len(t, policies[0].Steps, 2)
	require.Empty(t, policies[0].Warnings)
	// Each room has the messages about past incidents, and the servers of the company take more.
	type told struct {
		Channels []struct {
			ID         uuid.UUID
			Name, Kind string
		}
		Deliveries []struct {
			State, Phase, ChannelName string
			Tries                     []struct{ Result string }
		}
	}
	rooms := func(p *apptest.Product) (out told) {
		for _, team := range read(p, "/api/teams").Teams {
			var of told
			p.Admin.Get(t, "/api/notifications/channels?ownerKind=team&ownerId="+team.ID.String(), &of)
			out.Channels = append(out.Channels, of.Channels...)
		}
		p.Admin.Get(t, "/api/notifications/deliveries?all=true", &out)
		return out
	}
	first := rooms(p)
	require.Len(t, first.Channels, 4)
	require.Len(t, first.Deliveries, 14)
	for _, d := range first.Deliveries {
		require.Equal(t, "sent", d.State)
		require.NotEmpty(t, d.ChannelName)
		require.Len(t, d.Tries, map[bool]int{true: 2, false: 1}[d.Phase == "problem"])
	}
	var test struct{ Result string }
	p.Admin.Post(t, "/api/notifications/channels/"+first.Channels[0].ID.String()+"/test", nil, &test)
	require.Equal(t, "sent", test.Result)

	again := apptest.Start(t, apptest.Options{Env: env, Beside: p})
	require.Len(t, read(again, "/api/catalog/systems?limit=100").Systems, 13)
	require.Len(t, read(again, "/api/healthcheck/checks").Checks, 3)
	require.Len(t, read(again, "/api/incidents").Incidents, 4)
	require.Len(t, read(again, "/api/maintenances").Maintenances, 3)
	require.Len(t, read(again, "/api/oncall/schedules").Schedules, 1)
	require.Len(t, read(again, "/api/oncall/policies").Policies, 1)
	require.Len(t, rooms(again).Channels, 4)
	require.Len(t, rooms(again).Deliveries, 14)
}

// TestTheDemoCompanyIsReadAndAskedAbout does what changes none of its records in one installation.
func TestTheDemoCompanyIsReadAndAskedAbout(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"COUNTERSIGN_DEMO_COMPANY": "127.0.0.1:0", "COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.1", "COUNTERSIGN_TOOL_BUDGET_CALLS": "10000",
	}
	p := apptest.Start(t, apptest.Options{Env: env})
	t.Run("it has a past", func(t *testing.T) { t.Parallel(); hasAPast(t, p) })
	t.Run("it answers documented questions", func(t *testing.T) { t.Parallel(); answersDocumentedQuestions(t, p) })
	t.Run("it answers what people try", func(t *testing.T) { t.Parallel(); answersWhatPeopleTry(t, p) })
}

// answersDocumentedQuestions asks the demo model what the documentation has people ask: the answers hold real data.
func answersDocumentedQuestions(t *testing.T, p *apptest.Product) {
	t.Helper()
	for question, holds := range map[string][]string{
		"Who do I call about the payments system tonight?": {
			"**Payments**", "On call: +1 555 010 0102", "Questions: https://chat.example.org/payments",
		},
		"Who do I call about Mail Relay tonight?": {"**Mail Relay**", "On call: +1 555 010 0104"},
		"Tell me about Payments": {
			"Talks to the card processors", "Owner: Payments team", "Groups: Money", "Environments: ", "pci",
			"On call: +1 555 010 0102", "[Runbook](<https://wiki.example.org/runbooks/payments>)",
		},
		"Who owns Payments?":                                     {"**Payments** is owned by **Payments team**."},
		"Which systems do we have, and who owns them?":           {"| Payments | Payments team |", "| Staff Wiki | Office IT |"},
		"Please look up who owns the payments system these days": {"owned by **Payments team**"},
		"Which health checks do we have?":                        {"Service health"},
		"Which groups do we have?":                               {"| Money | 2 |"},
		"Which teams do we have?":                                {"Payments team"},
		"Which environments do we have?":                         {"Production", "Staging"},
		"Which systems does the Warehouse team own?":             {"Inventory", "Carrier Tracking"},
	} {
		answer := p.Admin.Conversation(t, nil).Say(t, question).Text()
		for _, text := range holds {
			require.Contains(t, answer, text, question)
		}
		require.NotRegexp(t, `(?m)^- ?([^:]*: *)?$`, answer, "%s: a line that ends before what it tells", question)
	}
}

// question is an entry of the table of questions about what is there, which explains itself.
type question struct{ Says, Ask []string }

// answersWhatPeopleTry asks the demo model in many wordings about the records of the company.
func answersWhatPeopleTry(t *testing.T, p *apptest.Product) {
	t.Helper()
	raw, err := os.ReadFile("../model/demo/testdata/questions.yaml")
	require.NoError(t, err)
	var questions []question
	require.NoError(t, yaml.Unmarshal(raw, &questions))
	for _, q := range questions {
		for _, ask := range q.Ask {
			t.Run(ask, func(t *testing.T) {
				t.Parallel()
				answer := p.Admin.Conversation(t, nil).Say(t, ask).Text()
				for _, text := range q.Says {
					require.Contains(t, answer, text)
				}
				const quoted = "From the documentation"
				require.Equal(t, slices.Contains(q.Says, quoted), strings.Contains(answer, quoted), answer)
			})
		}
	}
}

// TestTheDemoModelCreatesAGroupWithItsSystems has both halves of the sentence on one card.
func TestTheDemoModelCreatesAGroupWithItsSystems(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for _, name := range []string{"Payments API", "Ledger"} {
		p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": name}, nil)
	}
	chat := p.Admin.Conversation(t, nil)
	chat.Say(t, "Create a group called Checkout and add Payments API and Ledger to it")
	var waiting struct {
		Proposals []struct {
			ProposalID uuid.UUID
			Summary    string
			Labels     map[string]string
		}
	}
	p.Admin.Get(t, "/api/ai/proposals?status=proposed", &waiting)
	require.Len(t, waiting.Proposals, 1, "one change, which does both")
	require.Equal(t, "Create the group Checkout with 2 systems", waiting.Proposals[0].Summary)
	p.Admin.Apply(t, waiting.Proposals[0].ProposalID)
	var groups struct {
		Groups []struct {
			Name      string
			SystemIDs []uuid.UUID
		}
	}
	p.Admin.Get(t, "/api/catalog/groups", &groups)
	require.Len(t, groups.Groups, 1)
	require.Len(t, groups.Groups[0].SystemIDs, 2)
}

// TestTheDemoCompanyIsNobodysText looks at what a chat is told to hold of others when it has listed the systems of the company.
func TestTheDemoCompanyIsNobodysText(t *testing.T) {
	t.Parallel()
	env := map[string]string{"COUNTERSIGN_DEMO_COMPANY": "127.0.0.1:0", "COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.1"}
	p := apptest.Start(t, apptest.Options{Env: env})
	outside := func() (sources []string) {
		chat := p.Admin.Conversation(t, nil)
		chat.Perform(t, `tool=catalog.listSystems input={} text="That is all."`)
		chat.Idle(t)
		for _, found := range outsideOf(t, p.Admin, chat.ID).Outside {
			sources = append(sources, found.Source)
		}
		return sources
	}
	require.Empty(t, outside())

	// An application that has only the name of the one that made the records.
	var made struct {
		Application struct {
			ID uuid.UUID `json:"id"`
		} `json:"application"`
		Token string `json:"token"`
	}
	p.Admin.Post(
		t,
		"/api/applications",
		map[string]any{"name": "Demo company", "roleIds": []uuid.UUID{p.Role(t, "catalog.system.manage")}},
		&made,
	)
	p.Bearer(made.Application.ID, made.Token).Post(t, "/api/catalog/systems", map[string]any{"name": "Not of the company"}, nil)
	p.Admin.Delete(t, "/api/applications/"+made.Application.ID.String())
	apptest.Start(t, apptest.Options{Env: env, Beside: p})
	require.Equal(t, []string{"system Not of the company, written by a deleted user"}, outside())
}

// hasAPast looks at what the pages would show of it.
func hasAPast(t *testing.T, p *apptest.Product) {
	t.Helper()
	reader := history.NewReader(p.DB, history.ReaderOptions{})
	var id int32
	var system uuid.UUID
	var results int
	require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT t.id, t.system_id FROM check_targets t
		JOIN health_checks c ON c.id = t.check_id WHERE c.name = 'Service health' AND t.scope -> 'system' ->> 'name' = 'Carrier Tracking'`).Scan(&id, &system))
	require.NoError(
		t,
		p.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT sum(passed + failed) FROM check_hours WHERE target = $1`, id).Scan(&results),
	)
	require.Greater(t, results, 29_000)
	now := time.Now()
	chart, err := reader.Chart(
		t.Context(),
		history.ChartQuery{Targets: []int32{id}, States: []int32{id}, From: now.AddDate(0, 0, -20), To: now, Points: 200},
	)
	require.NoError(t, err)
	require.Greater(t, len(chart.Points), 150)
	require.NotEmpty(t, chart.Transitions, "three weeks without any trouble")
	boards, err := reader.Board(t.Context(), []uuid.UUID{system}, 90)
	require.NoError(t, err)
	days := boards.Systems[system].Days
	total := days[88].Measured + days[89].Measured
	require.InDelta(t, time.Since(days[88].Day).Minutes(), total.Minutes(), 10, "since yesterday, the hour that is not over included")

	type fares struct {
		Since   time.Time
		Targets []struct{ LastRun time.Time }
	}
	var rows struct {
		Systems []struct {
			SystemID uuid.UUID
			Since    time.Time
		}
	}
	p.Admin.Get(t, "/api/healthcheck/board?limit=100", &rows)
	require.Len(t, rows.Systems, 13)
	for _, row := range rows.Systems {
		var one fares
		p.Admin.Get(t, "/api/healthcheck/systems/"+row.SystemID.String(), &one)
		require.Equal(t, row.Since, one.Since, "the board and the page of a system say the same")
		for _, target := range one.Targets {
			require.WithinDuration(t, time.Now(), target.LastRun, 10*time.Minute)
		}
	}
}
