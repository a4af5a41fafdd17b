package healthcheck_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/quota"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// live is a server of the stream, and who asks it.
type live struct {
	*app
	notifier *event.Notifier
	outbox   *event.Outbox
	server   *httptest.Server
	mu       sync.Mutex
	gone     map[string]bool
}

// Load implements healthcheck.Principals.
func (l *live) Load(_ context.Context, _ principal.Kind, id, _ uuid.UUID) (principal.Principal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range []string{"root", "viewer", "insider", "stranger"} {
		if p := l.Principal(name); p.ID == id && !l.gone[name] {
			return p, nil
		}
	}
	return principal.Principal{}, problem.Errorf(problem.Unauthorized, "Gone.")
}

func newLive(t *testing.T, most int) *live {
	t.Helper()
	types, err := event.NewRegistry(health.EventTypes(healthcheck.StatusRead, event.SeeAll)...)
	require.NoError(t, err)
	l := &live{app: newApp(t), notifier: event.NewNotifier(), gone: map[string]bool{}}
	l.outbox = event.NewOutbox(l.DB, types)
	stream := healthcheck.NewLive(healthcheck.LiveOptions{
		Log:     slog.New(slog.DiscardHandler),
		Events:  event.NewLog(l.DB, types, l.notifier),
		Systems: systems{l.catalog},
		Quota:   quota.New(l.DB),
		Streams: quota.Kind{
			Name:       "live",
			Plural:     "pages open",
			Max:        most,
			TTL:        time.Minute,
			RetryAfter: time.Second,
		},
		Principals: l,
		Heartbeat:  20 * time.Millisecond,
	})
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { _ = c.String(problem.As(err).GetStatus(), err.Error()) }
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if who := c.QueryParam("as"); who != "" {
				c.SetRequest(c.Request().WithContext(principal.NewContext(c.Request().Context(), l.Principal(who))))
			}
			return next(c)
		}
	})
	stream.Mount(e)
	l.server = httptest.NewServer(e)
	t.Cleanup(l.server.Close)
	return l
}

// happens tells of a change of a system.
func (l *live) happens(t *testing.T, system uuid.UUID) {
	t.Helper()
	require.NoError(t, l.DB.InTx(t.Context(), func(ctx context.Context) error {
		return l.outbox.Append(ctx, event.New{Type: health.EventChanged, Subject: health.SubjectOf(system), Payload: health.ChangedPayload{
			SystemID: system, SystemName: "canary name", Before: "healthy", After: "unhealthy", Reason: "canary reason", At: time.Now(),
		}})
	}))
	l.notifier.Subscription().Notify("")
}

// heard is a stream as its client reads it.
type heard struct {
	status int
	events chan string
	ids    chan string
	all    *strings.Builder
	leave  func()
}

func (l *live) listen(t *testing.T, who, last string) *heard {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.server.URL+"/api/healthcheck/live?as="+who, nil)
	require.NoError(t, err)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	answer, err := l.server.Client().Do(request)
	require.NoError(t, err)
	h := &heard{status: answer.StatusCode, events: make(chan string, 100), ids: make(chan string, 100), all: &strings.Builder{}, leave: cancel}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(h.events)
		defer answer.Body.Close()
		name := ""
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			line := lines.Text()
			h.all.WriteString(line + "\n")
			switch field, value, _ := strings.Cut(line, ": "); field {
			case "event":
				name = value
			case "id":
				h.ids <- value
			case "data":
				h.events <- name + " " + value
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return h
}

func (h *heard) next(t *testing.T) string {
	t.Helper()
	select {
	case e, ok := <-h.events:
		require.True(t, ok, "the stream has ended: %s", h.all)
		return e
	case <-time.After(time.Minute):
		t.Fatal("nothing is heard")
		return ""
	}
}

func changedOf(system uuid.UUID) string { return `changed {"systemId":"` + system.String() + `"}` }

// A page hears of the systems that its reader may see, by their ids alone, and of what it has missed when it comes back.
func TestAPageHearsWhatChanges(t *testing.T) {
	t.Parallel()
	l := newLive(t, 10)
	shop, vault := l.system(t, "Shop"), l.system(t, "Vault")
	team := l.team(t, "Vault people")
	l.grant(t, "catalog.system", vault, true, map[uuid.UUID]access.Level{team: access.View})
	l.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	l.member("insider", []uuid.UUID{team}, healthcheck.StatusRead, catalog.SystemRead)
	viewer, insider := l.listen(t, "viewer", ""), l.listen(t, "insider", "")
	require.Equal(t, "all {}", viewer.next(t), "what was read before may be old")
	require.Equal(t, "all {}", insider.next(t))

	l.happens(t, vault)
	require.Equal(t, changedOf(vault), insider.next(t))
	l.happens(t, shop)
	require.Equal(t, changedOf(shop), insider.next(t))
	require.Equal(t, changedOf(shop), viewer.next(t), "the hidden one was passed by")
	last := <-viewer.ids
	viewer.leave()
	for range viewer.events {
		t.Fatal("more was said")
	}
	require.NotContains(t, viewer.all.String(), vault.String())
	require.NotContains(t, viewer.all.String(), "canary")

	orders := l.system(t, "Orders")
	l.happens(t, orders)
	l.happens(t, vault)
	require.Equal(t, changedOf(orders), insider.next(t))
	require.Equal(t, changedOf(vault), insider.next(t))
	again := l.listen(t, "viewer", last)
	said := []string{again.next(t), again.next(t)}
	slices.Sort(said)
	want := []string{changedOf(shop), changedOf(orders)}
	slices.Sort(want)
	require.Equal(t, want, said, "what was missed, with a little that was heard, and no more")
	require.Equal(t, "all {}", l.listen(t, "viewer", "1").next(t), "too long ago")
	require.Equal(t, "all {}", l.listen(t, "viewer", "nonsense").next(t))
}

// A stream ends with the session and with the right to it, and nobody has too many.
func TestAStreamOfChangesIsForWhoMaySee(t *testing.T) {
	t.Parallel()
	l := newLive(t, 2)
	l.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	l.Person("stranger", catalog.SystemRead)
	require.Equal(t, http.StatusUnauthorized, l.listen(t, "", "").status)
	require.Equal(t, http.StatusForbidden, l.listen(t, "stranger", "").status)
	one, two := l.listen(t, "viewer", ""), l.listen(t, "viewer", "")
	require.Equal(t, http.StatusTooManyRequests, l.listen(t, "viewer", "").status)
	one.leave()
	for range one.events {
		continue
	}
	require.Eventually(t, func() bool {
		h := l.listen(t, "viewer", "")
		h.leave()
		return h.status == http.StatusOK
	}, time.Minute, 10*time.Millisecond, "a place is free again")
	l.mu.Lock()
	l.gone["viewer"] = true
	l.mu.Unlock()
	for range two.events {
		continue // until it ends with the session, at a heartbeat
	}
}
