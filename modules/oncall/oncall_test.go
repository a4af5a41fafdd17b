package oncall_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/oncall"
)

func TestAScheduleSaysWhoIsOnCall(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.schedule(t, "Platform", a.layer("ada", "bob"))
	require.Len(t, s.OnCall, 1)
	require.Len(t, s.People, 2)
	const from, to = "2026-01-10T00:00:00Z", "2026-01-20T00:00:00Z"
	require.Equal(t, []string{"2026-01-10T00:00:00Z ada", "2026-01-12T08:00:00Z bob", "2026-01-19T08:00:00Z ada"}, a.shifts(t, s.ID, from, to))

	at := schedules + "/" + s.ID.String()
	over := func(as, person, replaces string) apitest.Answer {
		body := object{"personId": a.Principal(person).ID, "start": "2026-01-13T00:00:00Z", "end": "2026-01-14T02:00:00+02:00"}
		if replaces != "" {
			body["replacesId"] = a.Principal(replaces).ID
		}
		return a.Do(t, as, http.MethodPost, at+"/overrides", body)
	}
	refused(t, problem.Forbidden, over("cleo", "ada", ""))
	refused(t, problem.Forbidden, over("cleo", "cleo", ""))
	refused(t, problem.Forbidden, over("bob", "ada", ""))
	made := apitest.Decode[oncall.Override](t, over("ada", "cleo", "bob"))
	require.Equal(t, "bob", made.Replaces.Name)
	require.Equal(t, []string{
		"2026-01-10T00:00:00Z ada",
		"2026-01-12T08:00:00Z bob",
		"2026-01-13T00:00:00Z cleo",
		"2026-01-14T00:00:00Z bob",
		"2026-01-19T08:00:00Z ada",
	}, a.shifts(t, s.ID, from, to))
	refused(t, problem.Forbidden, a.Do(t, "bob", http.MethodDelete, at+"/overrides/"+made.ID.String(), nil))
	require.Equal(t, http.StatusNoContent, a.Do(t, "ada", http.MethodDelete, at+"/overrides/"+made.ID.String(), nil).Status)
	refused(t, problem.NotFound, a.Do(t, "ada", http.MethodDelete, at+"/overrides/"+made.ID.String(), nil))
	// People whom the schedule names may take over themselves, and let go again.
	own := apitest.Decode[oncall.Override](t, over("bob", "bob", ""))
	require.Equal(t, http.StatusNoContent, a.Do(t, "bob", http.MethodDelete, at+"/overrides/"+own.ID.String(), nil).Status)

	page := apitest.Decode[struct{ Schedules []oncall.Schedule }](t, a.Do(t, "bob", http.MethodGet, schedules, nil))
	require.Equal(t, "viewer", string(page.Schedules[0].Access))
	refused(t, problem.Forbidden, a.Do(t, "outsider", http.MethodGet, at, nil))
	refused(t, problem.Forbidden, a.Do(t, "outsider", http.MethodGet, at+"/shifts", nil))
}

func TestATeamChangesWhatItOwns(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team("bob")
	mine := object{"name": "Ours", "zone": "UTC", "teamId": team}
	refused(t, problem.Forbidden, a.Do(t, "cleo", http.MethodPost, schedules, mine))
	s := apitest.Decode[oncall.Schedule](t, a.Do(t, "bob", http.MethodPost, schedules, mine))
	require.Equal(t, team, s.Team.ID)
	at := schedules + "/" + s.ID.String()
	refused(t, problem.Forbidden, a.Do(t, "cleo", http.MethodPatch, at, object{"zone": "Europe/Berlin"}))
	require.Equal(t, http.StatusOK, a.Do(t, "bob", http.MethodPatch, at, object{"zone": "Europe/Berlin"}).Status)
	refused(t, problem.Forbidden, a.Do(t, "bob", http.MethodPatch, at, object{"teamId": a.team("cleo")}))
	refused(t, problem.Conflict, a.Do(t, "bob", http.MethodPost, schedules, object{"name": "OURS", "zone": "UTC", "teamId": team}))

	p := apitest.Decode[oncall.Policy](t, a.Do(t, "bob", http.MethodPost, policies,
		object{"name": "Ours", "teamId": team, "steps": []object{step(0, object{"kind": "members", "id": team})}}))
	require.Empty(t, p.Warnings)
	e := refused(t, problem.Forbidden, a.Do(t, "bob", http.MethodPatch, policies+"/"+p.ID.String(), object{"default": true}))
	require.Contains(t, e.Detail, oncall.Manage)
	require.Equal(t, http.StatusOK, a.Do(t, "ada", http.MethodPatch, policies+"/"+p.ID.String(), object{"default": true}).Status)
	// Channels come with their policy, and would be sent what another team may see.
	other := object{"teamId": a.team("cleo")}
	e = refused(t, problem.Forbidden, a.Do(t, "ada", http.MethodPatch, policies+"/"+p.ID.String(), other))
	require.Contains(t, e.Detail, "members of the other team")
	require.Equal(t, http.StatusOK, a.Do(t, "root", http.MethodPatch, policies+"/"+p.ID.String(), other).Status)
	other["teamId"] = team
	a.SignIn("ada", principal.Principal{
		Kind: principal.User, ID: a.Principal("ada").ID, Rules: []string{oncall.Read, oncall.Manage}, TeamIDs: []uuid.UUID{team},
	})
	require.Equal(t, http.StatusOK, a.Do(t, "ada", http.MethodPatch, policies+"/"+p.ID.String(), other).Status)
	refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPost, policies,
		object{"name": "Second", "default": true, "steps": []object{step(0, a.person("ada"))}}))

	// A deleted team leaves what it owned, which then only managers change.
	a.remove(t, "auth.team", team)
	refused(t, problem.Forbidden, a.Do(t, "bob", http.MethodPatch, at, object{"zone": "UTC"}))
	now := apitest.Decode[oncall.Policy](t, a.Do(t, "ada", http.MethodGet, policies+"/"+p.ID.String(), nil))
	require.Nil(t, now.Team)
	require.Contains(t, messages(now.Warnings), "steps[0]: Step 1 calls nobody.")
}

func TestStepsThatReachNobodyAreWarnings(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	empty, gap := a.schedule(t, "Empty"), a.schedule(t, "Office", object{
		"start":  "2026-01-05T09:00",
		"unit":   "days",
		"length": 1,
		"people": []uuid.UUID{a.Principal("bob").ID},
		"hours":  []string{"mon-fri 09:00-17:00"},
	})
	// A step that ends the person's own rules before they are due says so, and so does one without any channel.
	silent := a.policy(t, "Silent", nil, step(0, a.person("bob")), step(300, object{"kind": "channels"}))
	require.Contains(t, messages(silent.Warnings), "steps[0].targets[0]: bob has no channel for calls.")
	require.Contains(t, messages(silent.Warnings), "steps[1].targets[0]: The policy has no channel of its own.")
	a.Exec(t, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'bob@example.com', 'bob', '')`, a.Principal("bob").ID)
	one := policies + "/" + silent.ID.String()
	require.NotContains(t, messages(apitest.Decode[oncall.Policy](t, a.Do(t, "ada", http.MethodGet, one, nil)).Warnings), "bob")
	a.Exec(t, `INSERT INTO notify_rules (user_id, topic, channel_id, after_seconds)
		SELECT owner_id, '', id, 900 FROM notify_channels WHERE owner_id = $1`, a.Principal("bob").ID)
	require.Contains(t, messages(apitest.Decode[oncall.Policy](t, a.Do(t, "ada", http.MethodGet, one, nil)).Warnings),
		"steps[0].targets[0]: The own rules of bob wait for up to 15 min, and step 2 ends them after 5 min.")

	p := a.policy(t, "Platform", nil,
		step(0, a.person("bob"), object{"kind": "schedule", "id": empty.ID}),
		step(300, object{"kind": "schedule", "id": empty.ID}),
		step(300, object{"kind": "schedule", "id": gap.ID}),
		step(300, object{"kind": "members", "id": a.team()}),
		step(300),
	)
	warnings := messages(p.Warnings)
	require.Contains(t, warnings, "steps[0].targets[1]: Nobody is on call in Empty in the next four weeks.")
	require.NotContains(t, warnings, "Step 1 calls nobody")
	require.Contains(t, warnings, "steps[1]: Step 2 calls nobody.")
	require.Contains(t, warnings, "steps[2].targets[0]: Nobody is on call in Office at ")
	require.NotContains(t, warnings, "Step 3 calls nobody")
	require.Contains(t, warnings, "has no members")
	require.Contains(t, warnings, "steps[4]: Step 5 calls nobody.")

	// A deleted person leaves schedules and policies, and a deleted schedule leaves policies.
	bob := a.Principal("bob").ID
	s := a.schedule(t, "Both", a.layer("ada", "bob"))
	a.Do(t, "ada", http.MethodPost, schedules+"/"+s.ID.String()+"/overrides",
		object{"personId": bob, "start": time.Now().UTC(), "end": time.Now().UTC().Add(time.Hour)})
	a.remove(t, "auth.user", bob)
	now := apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodGet, schedules+"/"+s.ID.String(), nil))
	require.Equal(t, []uuid.UUID{a.Principal("ada").ID}, now.Layers[0].People)
	require.Equal(t, "ada", now.OnCall[0].Name)
	require.Equal(t, http.StatusNoContent, a.Do(t, "ada", http.MethodDelete, schedules+"/"+gap.ID.String(), nil).Status)
	then := apitest.Decode[oncall.Policy](t, a.Do(t, "ada", http.MethodGet, policies+"/"+p.ID.String(), nil))
	require.Contains(t, messages(then.Warnings), "steps[0]: Step 1 calls nobody.")
	require.Contains(t, messages(then.Warnings), "steps[2]: Step 3 calls nobody.")
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	zone := object{"name": "A", "zone": "Berlin"}
	require.Equal(t, "zone", refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, schedules, zone)).Issues[0].Path)
	for path, layer := range map[string]object{
		"layers[0].start":     {"start": "2026-01-05T09:00Z", "unit": "days", "length": 1, "people": []string{}},
		"layers[0].people[0]": {"start": "2026-01-05T09:00", "unit": "days", "length": 1, "people": []uuid.UUID{uuid.New()}},
		"layers[0].hours[0]":  {"start": "2026-01-05T09:00", "unit": "days", "length": 1, "people": []string{}, "hours": []string{"9-5"}},
	} {
		e := refused(
			t,
			problem.Invalid,
			a.Do(t, "ada", http.MethodPost, schedules, object{"name": "A", "zone": "UTC", "layers": []object{layer}}),
		)
		require.Equal(t, path, e.Issues[0].Path)
	}
	for path, s := range map[string]object{
		"steps[0].targets[0].id": step(0, object{"kind": "person", "id": uuid.New()}),
		"steps[0].hours":         {"delaySeconds": 0, "hours": "always", "targets": []object{}},
	} {
		e := refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, policies, object{"name": "A", "steps": []object{s}}))
		require.Equal(t, path, e.Issues[0].Path)
	}
	refused(
		t,
		problem.Invalid,
		a.Do(t, "ada", http.MethodPost, policies, object{"name": "A", "steps": []object{step(0, object{"kind": "person"})}}),
	)
	s := a.schedule(t, "Platform")
	at := schedules + "/" + s.ID.String()
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at+"/overrides",
		object{"personId": a.Principal("bob").ID, "start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"}))
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodGet, at+"/shifts?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z", nil))
	refused(t, problem.Precondition, a.Do(t, "ada", http.MethodPatch, at, object{"zone": "UTC"}, "If-Match", `"7"`))
	// A time far away is refused before anything counts up to it.
	for path, query := range map[string]string{
		"from": at + "/shifts?from=2399-01-01T00:00:00Z&to=2399-01-02T00:00:00Z",
		"at":   "/api/oncall/explain?at=9999-01-01T00:00:00Z&systemIds=" + uuid.NewString(),
	} {
		require.Equal(t, path, refused(t, problem.Invalid, a.Do(t, "bob", http.MethodGet, query, nil)).Issues[0].Path)
	}
}

func TestACalendarIsImported(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodPost, schedules,
		object{"name": "Imported", "zone": "Europe/Berlin", "teamId": a.team("ada", "bob")}))
	at := schedules + "/" + s.ID.String() + "/calendar"
	file := func(who string) string {
		return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260101T000000Z\r\nDTEND:20260102T000000Z\r\nRRULE:FREQ=DAILY;INTERVAL=2\r\n" +
			"SUMMARY:" + who + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	}
	refused(t, problem.Forbidden, a.Do(t, "cleo", http.MethodPut, at, object{"file": file("Ada")}))
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPut, at, object{"file": "<html>"}))
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPut, at, object{"url": "http://example.com/x.ics"}))
	got := apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodPut, at, object{"file": file("Ada")}))
	require.Equal(t, 1, got.Calendar.Events)
	const from, to = "2026-01-01T00:00:00Z", "2026-01-03T12:00:00Z"
	require.Equal(t, []string{"2026-01-01T00:00:00Z ada", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z ada"}, a.shifts(t, s.ID, from, to))

	// The names of a calendar are for those who may change the schedule, and stand for nobody outside of the team.
	long := strings.Replace(file("cleo"), "END:VCALENDAR", "BEGIN:VEVENT\r\nSUMMARY:Secret\r\nEND:VEVENT\r\nEND:VCALENDAR", 1)
	got = apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodPut, at, object{"file": long}))
	require.Equal(t, []string{"cleo"}, got.Calendar.Unknown)
	require.Len(t, got.Calendar.Warnings, 1)
	seen := a.Do(t, "cleo", http.MethodGet, schedules+"/"+s.ID.String(), nil)
	require.Equal(t, 1, apitest.Decode[oncall.Schedule](t, seen).Calendar.Events)
	require.NotContains(t, seen.Body, "Secret")
	require.NotContains(t, seen.Body, "cleo")

	address := a.feed.URL + "/private-token/basic.ics"
	a.feed.serve(http.StatusNotFound, "")
	require.NotContains(t, refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPut, at, object{"url": address})).Detail, "token")
	a.feed.serve(http.StatusOK, file("Nobody"))
	answer := a.Do(t, "ada", http.MethodPut, at, object{"url": address})
	require.NotContains(t, answer.Body, "private-token")
	require.Equal(t, []string{"Nobody"}, apitest.Decode[oncall.Schedule](t, answer).Calendar.Unknown)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM oncall_schedules WHERE strpos(encode(feed_sealed, 'escape'), 'token') > 0`))

	// It is read again, and what was read counts on while the feed fails.
	refresh := a.module.Chores()[0].Do
	again := func() oncall.Calendar {
		a.Exec(t, `UPDATE oncall_schedules SET feed_next_at = now()`)
		require.NoError(t, refresh(t.Context()))
		return *apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodGet, schedules+"/"+s.ID.String(), nil)).Calendar
	}
	a.feed.serve(http.StatusOK, file("bob"))
	require.Empty(t, again().Unknown)
	a.feed.serve(http.StatusServiceUnavailable, "")
	failed := again()
	require.Contains(t, failed.Error, "503")
	require.NotContains(t, failed.Error, "token")
	require.Equal(t, []string{"2026-01-01T00:00:00Z bob", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z bob"}, a.shifts(t, s.ID, from, to))

	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	*a.keys = *rotated
	for _, want := range []int{1, 0} {
		n, err := a.module.Sealed()[0].Reseal(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n, "addresses under the newest key")
	}
	a.feed.serve(http.StatusOK, file("bob"))
	require.Empty(t, again().Error)
	require.Nil(t, apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodPut, at, object{})).Calendar)
}
