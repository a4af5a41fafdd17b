package oncall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/calendar"
	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/text"
	"countersign/modules/oncall/oncalldb"
	"countersign/modules/oncall/rota"
)

// Times of feeds.
const (
	feedInterval = 15 * time.Minute
	feedTimeout  = 20 * time.Second
	// feedsAtOnce are read in one run of the chore.
	feedsAtOnce = 20
	// shownUnknown bounds the names of an answer that fit no user.
	shownUnknown = 20
)

// calendarOf describes the calendar of a schedule, nil when it has none. Names and titles of its events are for those who may
// change the schedule: a feed is private.
func calendarOf(row oncalldb.OncallSchedule, level access.Level) *Calendar {
	if row.FeedSealed == nil && len(row.Events) == 0 && len(row.EventWarnings) == 0 {
		return nil
	}
	c := &Calendar{
		Host: row.FeedHost, Events: len(row.Events), ReadAt: row.FeedReadAt, Error: row.FeedError,
	}
	if level != access.Own {
		return c
	}
	c.Warnings = row.EventWarnings
	for _, e := range row.Events {
		if e.Person == uuid.Nil && len(e.Names) > 0 {
			if name := text.Shown(e.Names[len(e.Names)-1], MaxName); !slices.Contains(c.Unknown, name) && len(c.Unknown) < shownUnknown {
				c.Unknown = append(c.Unknown, name)
			}
		}
	}
	return c
}

// SetCalendar imports an iCalendar file or feed as the lowest layer of a schedule, or removes it. The feed is read before
// the transaction begins.
func (s *service) SetCalendar(ctx context.Context, id uuid.UUID, in Import, based *int64) (Schedule, error) {
	row, err := s.queries(ctx).Schedule(ctx, id)
	if row, err = see(ctx, scheduleKind, id, row, err); err != nil {
		return Schedule{}, err
	}
	if err := scheduleKind.Permit(row.Name, levelOf(ctx, row.TeamID), access.Own); err != nil {
		return Schedule{}, err
	}
	p := oncalldb.SetCalendarParams{ID: id, Events: []rota.Event{}, EventWarnings: []string{}, Seconds: int32(feedInterval.Seconds())}
	content := in.File
	if in.URL != "" {
		if in.File != "" {
			return Schedule{}, problem.InvalidInput("Give an address or a file.", problem.Issue{Path: "file", Message: "must be absent beside url"})
		}
		if content, p.FeedHost, err = s.fetch(ctx, in.URL); err != nil {
			return Schedule{}, err
		}
		if p.FeedSealed, err = s.sealer.Seal([]byte(in.URL), feedKey(id)); err != nil {
			return Schedule{}, fmt.Errorf("seal the address of a feed: %w", err)
		}
	}
	if content != "" {
		if p.Events, p.EventWarnings, err = s.read(ctx, row, content); err != nil {
			return Schedule{}, err
		}
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Schedule, error) {
		if _, err := s.holdSchedule(ctx, id, based); err != nil {
			return Schedule{}, err
		}
		row, err := s.queries(ctx).SetCalendar(ctx, p)
		if err != nil {
			return Schedule{}, fmt.Errorf("set calendar: %w", err)
		}
		var fields audit.Fields
		fields.Mention("calendar", true)
		if err := record(ctx, s.db, audit.Changed, scheduleObject(id, row.Name), "Calendar of the on-call schedule set", fields); err != nil {
			return Schedule{}, err
		}
		return s.presentOne(ctx, row)
	})
}

func feedKey(schedule uuid.UUID) []byte { return []byte("oncall feed " + schedule.String()) }

// eligible are those whom a calendar can put on call: the members of the owning team and people whom the schedule names
// already. Names of anybody else would tell which addresses have accounts.
func (s *service) eligible(ctx context.Context, row oncalldb.OncallSchedule) (map[uuid.UUID]bool, error) {
	people := peopleOf(row.Layers)
	for _, e := range row.Events {
		people = append(people, e.Person)
	}
	if row.TeamID != nil {
		members, err := s.people.Members(ctx, []uuid.UUID{*row.TeamID})
		if err != nil {
			return nil, fmt.Errorf("list members of a team: %w", err)
		}
		people = append(people, members[*row.TeamID]...)
	}
	eligible := map[uuid.UUID]bool{}
	for _, id := range people {
		eligible[id] = id != uuid.Nil
	}
	return eligible, nil
}

// read reads the calendar of a schedule and finds its people.
func (s *service) read(ctx context.Context, row oncalldb.OncallSchedule, content string) ([]rota.Event, []string, error) {
	zone, err := calendar.Zone(row.Zone)
	if err != nil {
		zone = time.UTC
	}
	now, err := s.clock(ctx)
	if err != nil {
		return nil, nil, err
	}
	events, found, err := rota.ParseCalendar(content, zone, now)
	if err != nil {
		return nil, nil, err
	}
	warnings := []string{}
	for _, w := range found {
		if len(warnings) < shownUnknown {
			warnings = append(warnings, text.Shown(w, 2*MaxName))
		}
	}
	wanted := map[string]bool{}
	for _, e := range events {
		for _, name := range e.Names {
			wanted[strings.ToLower(name)] = true
		}
	}
	eligible, err := s.eligible(ctx, row)
	if err != nil {
		return nil, nil, err
	}
	people, err := s.people.Find(ctx, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return nil, nil, fmt.Errorf("find people of a calendar: %w", err)
	}
	for i, e := range events {
		for _, name := range e.Names {
			if id, ok := people[strings.ToLower(name)]; ok && eligible[id] {
				events[i].Person = id
				break
			}
		}
	}
	return events, warnings, nil
}

// errFeed begins the answers about feeds that cannot be read.
const errFeed = "The calendar feed cannot be read: "

// fetch reads a feed through the SSRF guard, which follows no redirect. Errors do not name the address.
func (s *service) fetch(ctx context.Context, address string) (content, host string, err error) {
	target, err := egress.ParseTarget(address)
	if err != nil || target.URL.Scheme != "https" || len(address) > MaxFeedURL {
		return "", "", problem.InvalidInput(
			"Give the https address of an iCal feed.", problem.Issue{Path: "url", Message: "must be an https address"},
		)
	}
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL.String(), http.NoBody)
	if err != nil {
		return "", "", fmt.Errorf("make the request of a feed: %w", err)
	}
	req.Header.Set("Accept", "text/calendar")
	res, err := s.feeds.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address
		}
		return "", "", problem.Errorf(problem.Invalid, "%s%s", errFeed, egress.Reason(err))
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return "", "", problem.Errorf(problem.Invalid, "%sits server answered with status %d.", errFeed, res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, rota.MaxCalendar+1))
	if err != nil {
		return "", "", problem.Errorf(problem.Invalid, "%sits server broke off or was too slow.", errFeed)
	}
	return string(body), target.URL.Hostname(), nil
}

// Chores reads the feeds of schedules again, and wakes overdue escalations.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "read on-call calendars", Every: time.Minute, Do: m.service.refresh}, m.service.netChore()}
}

// refresh reads feeds that are due. The last content stays when one fails, and the schedule says so.
func (s *service) refresh(ctx context.Context) error {
	rows, err := s.queries(ctx).DueFeeds(ctx, oncalldb.DueFeedsParams{Seconds: int32(feedInterval.Seconds()), MaxRows: feedsAtOnce})
	if err != nil {
		return fmt.Errorf("claim feeds: %w", err)
	}
	var failed []error
	for _, row := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = append(failed, s.refreshOne(ctx, row))
	}
	return errors.Join(failed...)
}

func (s *service) refreshOne(ctx context.Context, row oncalldb.OncallSchedule) error {
	address, err := s.sealer.Open(row.FeedSealed, feedKey(row.ID))
	if err != nil {
		return fmt.Errorf("open the address of a feed: %w", err)
	}
	content, _, err := s.fetch(ctx, string(address))
	var events []rota.Event
	var warnings []string
	if err == nil {
		events, warnings, err = s.read(ctx, row, content)
	}
	if err != nil {
		if !problem.Is(err, problem.Invalid) {
			return err
		}
		detail := problem.As(err).Detail
		if err := s.queries(ctx).FailFeed(ctx, oncalldb.FailFeedParams{ID: row.ID, FeedSealed: row.FeedSealed, FeedError: detail}); err != nil {
			return fmt.Errorf("note the failure of a feed: %w", err)
		}
		return nil
	}
	if err := s.queries(ctx).RefreshFeed(ctx, oncalldb.RefreshFeedParams{
		ID: row.ID, FeedSealed: row.FeedSealed, Events: events, EventWarnings: warnings,
	}); err != nil {
		return fmt.Errorf("keep a feed: %w", err)
	}
	return nil
}
