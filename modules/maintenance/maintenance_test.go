package maintenance_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/maintenance"
)

// The word fits the clock: at each moment list, page, calendar and events say the same, before the row has followed too.
func TestTheWordFitsTheClock(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Move", shop, "2026-06-02T09:10:00Z", "2026-06-03T09:10:00Z")
	for _, c := range []struct {
		at   string
		want maintenance.Status
	}{
		{"2026-06-02T09:09:59Z", maintenance.Scheduled},
		{"2026-06-02T09:10:00Z", maintenance.InProgress},
		{"2026-06-03T09:09:59Z", maintenance.InProgress},
		{"2026-06-03T09:10:00Z", maintenance.Completed},
	} {
		a.set(t, c.at)
		for _, followed := range []bool{false, true} {
			if followed {
				a.tick(t)
			}
			require.Equal(t, c.want, a.get(t, "reader", one.ID).Status, c.at)
			require.Equal(t, []string{"Move"}, a.titles(t, "reader", "?status="+string(c.want)), c.at)
			require.Equal(t, c.want, a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-06-05T00:00:00Z")[0].Status, c.at)
		}
	}
	types, payloads := a.events(t, "reader", one.ID)
	require.Equal(t, []string{maintenance.EventScheduled, maintenance.EventStarted, maintenance.EventEnded}, types)
	require.Equal(t, "completed", payloads[2].Status)
	require.Equal(t, "in_progress", payloads[2].StatusBefore)
	require.False(t, payloads[2].EndedEarly)
	a.tick(t)
	again, _ := a.events(t, "reader", one.ID)
	require.Len(t, again, 3, "an edge happens once")
}

// Two processes that look at the same moment begin a maintenance once.
func TestAnEdgeHappensOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Move", shop, "2026-06-02T09:00:00Z", "2026-06-02T10:00:00Z")
	a.set(t, "2026-06-02T09:00:01Z")
	var both sync.WaitGroup
	for range 8 {
		both.Go(func() { a.tick(t) })
	}
	both.Wait()
	types, _ := a.events(t, "ada", one.ID)
	require.Equal(t, []string{maintenance.EventScheduled, maintenance.EventStarted}, types)
	require.Equal(
		t,
		1,
		a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'maintenance.maintenance' AND summary = 'Maintenance began'`),
	)
}

func TestAMaintenanceEndsEarlyAndIsExtended(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-02T08:00:00Z")
	one := a.plan(t, "Move", shop, "2026-06-02T09:00:00Z", "2026-06-02T10:00:00Z")
	a.until(t, "2026-06-02T09:30:00Z")
	refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"startAt": "2026-06-02T09:45:00Z"}))
	extended := a.change(t, "ada", one.ID, object{"endAt": "2026-06-02T11:00:00Z"})
	require.Equal(t, maintenance.InProgress, extended.Status)
	require.True(t, extended.Occurrence.Extended)
	a.until(t, "2026-06-02T10:00:01Z")
	require.Equal(t, maintenance.InProgress, a.get(t, "reader", one.ID).Status, "the former end has no effect")
	a.until(t, "2026-06-02T10:30:00Z")
	closed := a.closeIt(t, "ada", one.ID, object{"message": "All disks are new."})
	require.True(t, closed.Changed)
	require.Equal(t, maintenance.Completed, closed.Status)
	require.True(t, closed.Occurrence.EndedEarly)
	require.Equal(t, "2026-06-02T10:30:00Z", closed.Occurrence.EndAt.UTC().Format(time.RFC3339))
	require.Equal(t, "completed", a.updates(t, "reader", one.ID)[0].StatusChange)
	require.False(t, a.closeIt(t, "ada", one.ID, object{}).Changed, "a second call does nothing")
	a.until(t, "2026-06-02T11:00:01Z")
	types, payloads := a.events(t, "reader", one.ID)
	require.Equal(t, []string{
		maintenance.EventScheduled, maintenance.EventStarted, maintenance.EventUpdated, maintenance.EventEnded,
	}, types)
	require.True(t, payloads[2].Extended)
	require.True(t, payloads[3].EndedEarly && payloads[3].Extended)
	refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"endAt": "2026-06-03T11:00:00Z"}))
	require.Equal(t, "Done", a.change(t, "ada", one.ID, object{"title": "Done"}).Title, "its words can be corrected")
}

func TestAMaintenanceThatHasNotBegunIsCancelled(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Move", shop, "2026-06-02T09:00:00Z", "2026-06-02T10:00:00Z")
	closed := a.closeIt(t, "bob", one.ID, object{})
	require.Equal(t, maintenance.Cancelled, closed.Status)
	a.until(t, "2026-06-02T09:30:00Z")
	require.Equal(t, maintenance.Cancelled, a.get(t, "reader", one.ID).Status)
	types, _ := a.events(t, "reader", one.ID)
	require.Equal(t, []string{maintenance.EventScheduled, maintenance.EventCancelled}, types)
	require.Equal(t, maintenance.Cancelled, a.calendar(t, "reader", "2026-06-02T00:00:00Z", "2026-06-03T00:00:00Z")[0].Status)
	require.Equal(t, []string{"Move"}, a.titles(t, "reader", "?state=over"))
	require.Empty(t, a.titles(t, "reader", "?state=open"))
}

// Notifications about a system are held by a maintenance that suppresses them, while it is in progress alone. Of overlapping
// ones each holds for itself.
func TestSystemsAreQuietWhileAMaintenanceIsInProgress(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, search := a.system(t, "Shop"), a.system(t, "Search")
	a.set(t, "2026-06-02T08:00:00Z")
	quiet := object{"suppressNotifications": true}
	short := a.plan(t, "Short", shop, "2026-06-02T09:00:00Z", "2026-06-02T10:00:00Z", quiet)
	long := a.plan(t, "Long", shop, "2026-06-02T09:30:00Z", "2026-06-02T12:00:00Z", quiet)
	a.plan(t, "Loud", search, "2026-06-02T09:00:00Z", "2026-06-02T12:00:00Z")
	muted := func(at string) (reasons []string) {
		a.until(t, at)
		mutes, err := a.module.Muted(t.Context(), []uuid.UUID{shop, search})
		require.NoError(t, err)
		for _, m := range mutes {
			require.Equal(t, shop, m.System)
			reasons = append(reasons, m.Reason+" "+m.Until.UTC().Format("15:04"))
		}
		return reasons
	}
	require.Empty(t, muted("2026-06-02T08:59:59Z"))
	require.Equal(t, []string{"maintenance " + short.ID.String() + " 10:00"}, muted("2026-06-02T09:00:00Z"))
	require.Equal(t, []string{"maintenance " + long.ID.String() + " 12:00"}, muted("2026-06-02T09:45:00Z"), "the last one to end")
	require.Zero(t, a.rechecked.Load(), "no mute has ended")
	a.closeIt(t, "ada", short.ID, object{})
	require.EqualValues(t, 1, a.rechecked.Load(), "what it held is looked at again")
	require.Equal(t, []string{"maintenance " + long.ID.String() + " 12:00"}, muted("2026-06-02T09:46:00Z"))
	require.Empty(t, muted("2026-06-02T12:00:00Z"))
	active, err := a.module.InProgress(t.Context(), search)
	require.NoError(t, err)
	require.Empty(t, active[search])
}

func TestWrongMaintenancesAreRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	const start, end = "2026-06-02T09:00:00Z", "2026-06-02T10:00:00Z"
	many := make([]uuid.UUID, 10_000)
	for i := range many {
		many[i] = uuid.New()
	}
	zone := func(more object) object {
		more["zone"] = "Europe/Berlin"
		return more
	}
	for name, c := range map[string]struct {
		body object
		path string
	}{
		"an end before the start":     {input("A", shop, end, start), "endAt"},
		"an end at the start":         {input("A", shop, start, start), "endAt"},
		"a time that has passed":      {input("A", shop, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"), "endAt"},
		"two years":                   {input("A", shop, start, "2028-06-02T10:00:00Z"), "endAt"},
		"in a hundred years":          {input("A", shop, "2126-06-02T09:00:00Z", "2126-06-02T10:00:00Z"), "startAt"},
		"an invisible title":          {input("\u200b\u2060", shop, start, end), "title"},
		"no system":                   {input("A", shop, start, end, object{"systemIds": []uuid.UUID{uuid.New()}}), "systemIds[0]"},
		"ten thousand systems":        {input("A", shop, start, end, object{"systemIds": many}), "systemIds"},
		"no zone that exists":         {input("A", shop, start, end, object{"zone": "Europe/Bonn"}), "zone"},
		"a zone that left":            {input("A", shop, start, end, object{"zone": "America/Montreal2", "rule": "FREQ=DAILY"}), "zone"},
		"a rule without a zone":       {input("A", shop, start, end, object{"rule": "FREQ=DAILY"}), "zone"},
		"a rule that never occurs":    {input("A", shop, start, end, zone(object{"rule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"})), "rule"},
		"a rule that is over":         {input("A", shop, "2026-01-02T09:00:00Z", "2026-01-02T10:00:00Z", zone(object{"rule": "FREQ=DAILY;COUNT=3"})), "rule"},
		"a rule that always occurs":   {input("A", shop, start, "2026-06-03T09:00:00Z", zone(object{"rule": "FREQ=DAILY"})), "rule"},
		"occurrences that overlap":    {input("A", shop, start, "2026-06-03T12:00:00Z", zone(object{"rule": "FREQ=DAILY"})), "rule"},
		"a rule each minute":          {input("A", shop, start, "2026-06-02T09:00:30Z", zone(object{"rule": "FREQ=MINUTELY"})), "rule"},
		"no rule":                     {input("A", shop, start, end, zone(object{"rule": "each Sunday"})), "rule"},
		"a time without an offset":    {input("A", shop, "2026-06-02T09:00:00", end), "body.startAt"},
		"a message of nothing":        {input("A", shop, start, end, object{"initialMessage": "\u200b"}), "initialMessage"},
		"a visibility of its own":     {input("A", shop, start, end, object{"visibility": "secret"}), "body.visibility"},
		"a member that does not exit": {input("A", shop, start, end, object{"colour": "red"}), "body.colour"},
	} {
		answer := a.Do(t, "ada", http.MethodPost, maintenances, c.body)
		refusal := refused(t, problem.Invalid, answer)
		paths := make([]string, len(refusal.Issues))
		for i, issue := range refusal.Issues {
			paths[i] = strings.TrimPrefix(issue.Path, "body.")
		}
		require.Contains(t, paths, strings.TrimPrefix(c.path, "body."), name)
	}
	require.Zero(t, a.Count(t, `SELECT count(*) FROM maintenances`))
	one := a.plan(t, "A", shop, start, end)
	for _, url := range []string{"javascript:alert(1)", "data:text/html,x", "https://me:secret@example.org/", "ftp://example.org"} {
		refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(one.ID, "links"), object{"url": url}))
	}
	refused(
		t,
		problem.Invalid,
		a.Do(t, "ada", http.MethodGet, maintenances+"/calendar?from=2026-06-01T00:00:00Z&to=2026-12-01T00:00:00Z", nil),
	)
}

// A zone may leave the database. What is planned in the row happens, and nothing after it.
func TestAZoneThatLeftTheDatabase(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Backup", shop, "2026-06-02T09:00:00Z", "2026-06-02T10:00:00Z", object{"zone": "Europe/Berlin", "rule": "FREQ=DAILY"})
	a.Exec(t, `UPDATE maintenances SET zone = 'Europe/Gone' WHERE id = $1`, one.ID)
	require.Contains(t, a.get(t, "reader", one.ID).Issue, "Europe/Berlin", "it says what names look like")
	require.Len(t, a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-06-10T00:00:00Z"), 1)
	a.until(t, "2026-06-02T09:30:00Z")
	require.Equal(t, maintenance.InProgress, a.get(t, "reader", one.ID).Status)
	a.until(t, "2026-06-02T10:00:00Z")
	require.Equal(t, maintenance.Completed, a.get(t, "reader", one.ID).Status)
}

// A feed ends with the sessions of its owner, and by those who manage accounts. Nobody reads one in a loop.
func TestAFeedIsEndedForItsOwner(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("keeper", "auth.users.manage")
	reader := a.Principal("reader")
	a.Exec(t, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'reader@example.com', 'reader', 'x')`, reader.ID)
	feed := func() string {
		t.Helper()
		made := apitest.Decode[maintenance.Feed](t, a.Do(t, "reader", http.MethodPost, maintenances+"/feed", nil))
		path := strings.TrimPrefix(made.URL, "https://countersign.example")
		require.Equal(t, http.StatusOK, a.Do(t, "", http.MethodGet, path, nil).Status)
		return path
	}
	root := a.Principal("root")
	reset, password := feed(), "a new password of theirs"
	_, err := a.auth.Directory.UpdateUser(principal.NewContext(t.Context(), root), root, reader.ID, auth.UserChange{Password: &password}, nil)
	require.NoError(t, err)
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, reset, nil))
	first := feed()
	_, err = a.auth.Sessions.RevokeOthers(principal.NewContext(t.Context(), reader), reader)
	require.NoError(t, err)
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, first, nil))

	second, other := feed(), maintenances+"/feeds/"+reader.ID.String()
	refused(t, problem.Forbidden, a.Do(t, "ada", http.MethodDelete, other, nil))
	require.Equal(t, http.StatusNoContent, a.Do(t, "keeper", http.MethodDelete, other, nil).Status)
	refused(t, problem.NotFound, a.Do(t, "keeper", http.MethodDelete, other, nil))
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, second, nil))
	require.Equal(t, 3, a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'maintenance.feed' AND action = 'deleted'`))

	third, reads := feed(), 1
	for a.Do(t, "", http.MethodGet, third, nil).Status == http.StatusOK {
		reads++
		require.Less(t, reads, 100)
	}
	refused(t, problem.Throttled, a.Do(t, "", http.MethodGet, third, nil))
}

// A calendar program reads the feed of a person with the rights that the person has then.
func TestAFeedShowsWhatItsOwnerMaySee(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, secret := a.system(t, "Shop, big; \\new"), a.system(t, "Secret")
	a.set(t, "2026-03-20T00:00:00Z")
	one := a.plan(t, "Move, then; clean\\up", shop, "2026-03-22T01:00:00Z", "2026-03-22T03:00:00Z",
		object{"zone": "Europe/Berlin", "rule": "FREQ=WEEKLY;BYDAY=SU"})
	a.plan(t, "Hidden", secret, "2026-03-22T01:00:00Z", "2026-03-22T03:00:00Z")
	a.Exec(t, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'reader@example.com', 'reader', 'x')`, a.Principal("reader").ID)
	refused(t, problem.NotFound, a.Do(t, "reader", http.MethodGet, maintenances+"/feed", nil))
	made := apitest.Decode[maintenance.Feed](t, a.Do(t, "reader", http.MethodPost, maintenances+"/feed", nil))
	path, ok := strings.CutPrefix(made.URL, "https://countersign.example")
	require.True(t, ok)
	read := func() string {
		answer := a.Do(t, "", http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, answer.Status)
		return answer.Body
	}
	document := read()
	for line := range strings.SplitSeq(strings.TrimSuffix(document, "\r\n"), "\r\n") {
		require.LessOrEqual(t, len(line), 75)
		require.NotContains(t, line, "\n")
	}
	unfolded := strings.ReplaceAll(document, "\r\n ", "")
	require.Contains(t, unfolded, `SUMMARY:Move\, then\; clean\\up`)
	require.Contains(t, unfolded, "Systems: Shop\\, big\\; \\\\new")
	require.Contains(t, unfolded, "DTSTART:20260329T010000Z\r\nDTEND:20260329T020000Z", "over the change of the clock")
	require.Contains(t, unfolded, "DTSTART:20260405T000000Z")
	require.Contains(t, unfolded, "Hidden")
	uid := fmt.Sprintf("UID:%s-%d@countersign", one.ID, moment(t, "2026-03-29T01:00:00Z").Unix())
	require.Contains(t, unfolded, uid)
	a.change(t, "ada", one.ID, object{"occurrence": object{"at": "2026-03-29T01:00:00Z", "startAt": "2026-03-30T01:00:00Z"}})
	unfolded = strings.ReplaceAll(read(), "\r\n ", "")
	require.Equal(t, 1, strings.Count(unfolded, uid), "a moved occurrence stays the same event")
	require.Contains(t, unfolded, "DTSTART:20260330T010000Z")

	a.hide(t, secret)
	require.NotContains(t, read(), "Hidden")
	require.NotContains(t, a.Do(t, "reader", http.MethodGet, maintenances+"/feed", nil).Body, path[len(maintenances+"/feed/"):])
	again := apitest.Decode[maintenance.Feed](t, a.Do(t, "reader", http.MethodPost, maintenances+"/feed", nil))
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, path, nil))
	path = strings.TrimPrefix(again.URL, "https://countersign.example")
	read()
	require.Equal(t, http.StatusNoContent, a.Do(t, "reader", http.MethodDelete, maintenances+"/feed", nil).Status)
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, path, nil))
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, maintenances+"/feed/"+strings.Repeat("A", 43), nil))
	refused(t, problem.NotFound, a.Do(t, "", http.MethodGet, maintenances+"/feed/x", nil))
}
