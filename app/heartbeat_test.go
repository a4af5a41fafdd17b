package app_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// calling is where the job of a target calls in.
type calling struct {
	TargetID    int32
	SystemID    uuid.UUID
	SystemName  string
	Environment string
	Active      bool
	URL         string
	LastAt      *time.Time
	Failed      bool
	Message     string
	DurationMs  int64
}

func callings(t *testing.T, c *apptest.Client, check string) []calling {
	t.Helper()
	var list struct{ Heartbeats []calling }
	answer := c.Get(t, "/api/healthcheck/checks/"+check+"/heartbeats", &list)
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	return list.Heartbeats
}

// newHeartbeat is a check of a job that calls in once a second and may be two seconds late, for a system.
func newHeartbeat(t *testing.T, p *apptest.Product, name string, system uuid.UUID) string {
	t.Helper()
	var check struct{ ID string }
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": name, "strategyId": "healthcheck-heartbeat.heartbeat", "config": map[string]any{}, "intervalSeconds": 1,
		"collectors": []any{map[string]any{"collectorId": "healthcheck-heartbeat.beat", "config": map[string]any{"graceSeconds": 2}}},
	}, &check)
	assigned := p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check.ID+"/systems/"+system.String(), map[string]any{
		"thresholds": map[string]any{"degradedAfter": 1, "unhealthyAfter": 2, "flapChanges": -1},
	})
	require.Less(t, assigned.Status, 300, "%s", assigned.Body)
	return check.ID
}

// at is the path of an address that the product has given out.
func (c calling) at(t *testing.T) string {
	t.Helper()
	_, token, found := strings.Cut(c.URL, "/api/heartbeats/")
	require.True(t, found, c.URL)
	return "/api/heartbeats/" + token
}

// A job calls in, falls silent, and fails, with all parts of the product in between.
func TestAJobCallsIn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := newSystem(t, p.Admin, "Backups")
	check := newHeartbeat(t, p, "Nightly backup", system)
	list := callings(t, p.Admin, check)
	require.Len(t, list, 1)
	require.Equal(t, "Backups", list[0].SystemName)
	require.True(t, list[0].Active)
	require.Nil(t, list[0].LastAt, "it has never called in")
	job, path := p.Anonymous(), list[0].at(t)

	type fares struct {
		Targets []struct {
			Status, Reason string
		}
	}
	becomes := func(what, status, reason string, meanwhile func()) {
		t.Helper()
		var now fares
		apptest.Eventually(t, what, func() bool {
			meanwhile()
			p.Admin.Get(t, "/api/healthcheck/systems/"+system.String(), &now)
			return now.Targets[0].Status == status && strings.Contains(now.Targets[0].Reason, reason)
		})
	}
	var heard struct {
		Active bool
		Detail string
	}
	work := func() {
		answer := job.Call(t, http.MethodPost, path, map[string]any{"message": "42 files", "durationMs": 1500})
		require.Contains(t, []int{http.StatusOK, http.StatusTooManyRequests}, answer.Status, "%s", answer.Body)
	}
	job.Post(t, path, nil, &heard)
	require.True(t, heard.Active)
	becomes("the job is healthy", "healthy", "", work)
	becomes("its silence is noticed", "unhealthy", "The job has not called in for", func() {})
	said := callings(t, p.Admin, check)[0]
	require.NotNil(t, said.LastAt)
	require.Equal(t, "42 files", said.Message)
	require.EqualValues(t, 1500, said.DurationMs)
	require.False(t, said.Failed)

	becomes("it is healthy again", "healthy", "", work)
	becomes("its failure is told", "unhealthy", "The job reported a failure: disk full", func() {
		answer := job.Call(t, http.MethodPost, path+"/fail?message=disk+full&durationMs=20", nil)
		require.Contains(t, []int{http.StatusOK, http.StatusTooManyRequests}, answer.Status, "%s", answer.Body)
	})
	require.True(t, callings(t, p.Admin, check)[0].Failed)
	require.NotContains(t, p.Log.String(), strings.TrimPrefix(path, "/api/heartbeats/"), "the address is in the log")
}

// Nobody is told anything by a heartbeat who was not given its address, and who may not change the check is not given it.
func TestOnlyWhoWasGivenAnAddressIsHeard(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	one, other := newSystem(t, p.Admin, "Payments"), newSystem(t, p.Admin, "Hidden")
	check := newHeartbeat(t, p, "Settlement", one)
	assigned := p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check+"/systems/"+other.String(), map[string]any{})
	require.Less(t, assigned.Status, 300, "%s", assigned.Body)
	list := callings(t, p.Admin, check)
	require.Len(t, list, 2)
	require.NotEqual(t, list[0].URL, list[1].URL)
	path, stranger := list[0].at(t), p.Anonymous()

	var page struct {
		Heartbeats []calling
		NextCursor string
	}
	p.Admin.Get(t, "/api/healthcheck/checks/"+check+"/heartbeats?limit=1", &page)
	require.Len(t, page.Heartbeats, 1)
	p.Admin.Get(t, "/api/healthcheck/checks/"+check+"/heartbeats?cursor="+page.NextCursor, &page)
	require.Len(t, page.Heartbeats, 1)
	require.NotEqual(t, list[0].TargetID, page.Heartbeats[0].TargetID)

	reader := p.Person(t, p.Role(t, "healthcheck.healthcheck.read", "healthcheck.healthcheck.status.read"))
	reader.Refused(t, problem.Forbidden, http.MethodGet, "/api/healthcheck/checks/"+check+"/heartbeats", nil)
	stranger.Refused(t, problem.Unauthorized, http.MethodGet, "/api/healthcheck/checks/"+check+"/heartbeats", nil)
	grant(
		t,
		p,
		"catalog.system/"+other.String(),
		true,
		map[string]any{"subjectType": "user", "subjectId": p.Person(t).ID, "relation": "owner"},
	)
	writer := p.Person(t, p.Role(t, "healthcheck.healthcheck.read", "healthcheck.healthcheck.manage", "catalog.system.read"))
	seen := callings(t, writer, check)
	require.Len(t, seen, 1)
	require.Equal(t, one, seen[0].SystemID)
	p.Admin.Refused(t, problem.NotFound, http.MethodGet, "/api/healthcheck/checks/"+uuid.NewString()+"/heartbeats", nil)
	said := map[string]bool{}
	for _, wrong := range []string{path[:len(path)-1], path + "A", "/api/heartbeats/x", "/api/heartbeats/" + strconv.Itoa(int(list[0].TargetID))} {
		for _, way := range []string{wrong, wrong + "/fail"} {
			e := stranger.Refused(t, problem.NotFound, http.MethodPost, way, nil)
			said[e.Detail] = true
		}
	}
	require.Len(t, said, 1, "a guess learns nothing: %v", said)
	require.GreaterOrEqual(
		t,
		stranger.Call(t, http.MethodGet, path, nil).Status,
		http.StatusNotFound,
		"a link that is looked at is no heartbeat",
	)
	stranger.Refused(t, problem.Invalid, http.MethodPost, path, map[string]any{"status": "fine"})
	require.Nil(t, callings(t, p.Admin, check)[0].LastAt)

	p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check+"/paused", map[string]any{"paused": true})
	var heard struct {
		Active bool
		Detail string
	}
	stranger.Post(t, path, map[string]any{"message": strings.Repeat("x", 3000)}, &heard)
	require.False(t, heard.Active)
	require.Contains(t, heard.Detail, "does not run there now")
	require.InDelta(t, 500, len([]rune(callings(t, p.Admin, check)[0].Message)), 1, "the beginning is kept")

	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/healthcheck/checks/"+check, nil).Status, 300)
	e := stranger.Refused(t, problem.NotFound, http.MethodPost, path, nil)
	require.True(t, said[e.Detail], "one that is gone is as one that never was: %s", e.Detail)
}

// A job of a cron schedule: its due times are shown, a wrong schedule says what to do, and GET counts where it is accepted.
func TestAJobOfACronScheduleCallsIn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := newSystem(t, p.Admin, "Reports")
	body := func(config, beat map[string]any) map[string]any {
		return map[string]any{
			"name": "Weekly report", "strategyId": "healthcheck-heartbeat.heartbeat", "config": config, "intervalSeconds": 1,
			"collectors":       []any{map[string]any{"collectorId": "healthcheck-heartbeat.beat", "config": beat}},
			"assignToSystemId": system,
		}
	}
	type schedule struct {
		Words, TimeZone string
		Next            []time.Time
	}
	var verdict struct {
		Valid    bool
		Schedule *schedule
		Errors   []problem.Issue
	}
	yearly := map[string]any{"cron": "30 2 1 1 *", "timeZone": "Europe/Berlin", "graceSeconds": 600}
	draft := body(map[string]any{}, yearly)
	delete(draft, "name")
	delete(draft, "assignToSystemId")
	p.Admin.Post(t, "/api/healthcheck/validate", draft, &verdict)
	require.True(t, verdict.Valid, "%v", verdict.Errors)
	require.Equal(t, "at 02:30 on day 1 of the month in January, Europe/Berlin", verdict.Schedule.Words)
	require.Len(t, verdict.Schedule.Next, 5)
	refused := p.Admin.Refused(
		t,
		problem.Invalid,
		http.MethodPost,
		"/api/healthcheck/checks",
		body(map[string]any{}, map[string]any{"cron": "30 2 * * *"}),
	)
	require.Equal(t, "collectors[0].config.timeZone", refused.Issues[0].Path)

	var check struct {
		ID       string
		Schedule *schedule
	}
	p.Admin.Post(t, "/api/healthcheck/checks", body(map[string]any{}, yearly), &check)
	require.Equal(t, verdict.Schedule.Next, check.Schedule.Next)
	var listed struct {
		Heartbeats []struct{ NextDueAt *time.Time }
	}
	p.Admin.Get(t, "/api/healthcheck/checks/"+check.ID+"/heartbeats", &listed)
	require.True(t, listed.Heartbeats[0].NextDueAt.Equal(check.Schedule.Next[0]))

	job, path := p.Anonymous(), callings(t, p.Admin, check.ID)[0].at(t)
	e := job.Refused(t, problem.WrongMethod, http.MethodGet, path, nil)
	require.Contains(t, e.Detail, "acceptGet")
	job.Refused(t, problem.NotFound, http.MethodGet, path+"A", nil)
	require.Nil(t, callings(t, p.Admin, check.ID)[0].LastAt, "a GET counts although nobody has accepted it")
	changed := p.Admin.Call(
		t,
		http.MethodPatch,
		"/api/healthcheck/checks/"+check.ID,
		map[string]any{"config": map[string]any{"acceptGet": true}},
	)
	require.Less(t, changed.Status, 300, "%s", changed.Body)
	require.GreaterOrEqual(t, job.Call(t, http.MethodHead, path, nil).Status, 400, "HEAD")
	job.Refused(t, problem.WrongMethod, http.MethodGet, path, nil, apptest.Header{Name: "Sec-Purpose", Value: "prefetch;prerender"})
	require.Nil(t, callings(t, p.Admin, check.ID)[0].LastAt, "a prefetch counts")
	heard := job.Call(t, http.MethodGet, path+"?message=42+pages", nil)
	require.Equal(t, http.StatusOK, heard.Status, "%s", heard.Body)
	require.Equal(t, "no-store", heard.Header.Get("Cache-Control"))
	require.Equal(t, "42 pages", callings(t, p.Admin, check.ID)[0].Message)
	require.Equal(t, http.StatusOK, job.Call(t, http.MethodGet, path+"/fail?message=full", nil).Status)
	require.True(t, callings(t, p.Admin, check.ID)[0].Failed)
	var fares struct {
		Targets []struct{ Status, Reason string }
	}
	apptest.Eventually(t, "the failure of the job is told", func() bool {
		p.Admin.Get(t, "/api/healthcheck/systems/"+system.String(), &fares)
		return strings.Contains(fares.Targets[0].Reason, "The job reported a failure: full")
	})
}
