package maintenance

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/modules/maintenance/maintenancedb"
)

// Bounds of a calendar feed.
const (
	feedBehind = 30 * 24 * time.Hour
	feedAhead  = 180 * 24 * time.Hour
	maxFeed    = 500 // events
)

// Feed is the calendar feed of a person.
type Feed struct {
	CreatedAt time.Time `json:"createdAt"`
	URL       string    `json:"url,omitempty" doc:"What a calendar program subscribes to, shown this once. Whoever has it reads what you may see."`
}

// owner is the person who makes the request, and not a program that acts for them: the address outlives its rights.
func owner(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if !p.ByHand() {
		return p, problem.Errorf(problem.Forbidden, "Calendar feeds are for people: make one in the web app.")
	}
	return p, readable(ctx)
}

// Feed returns the feed of the caller without its address.
func (s *service) Feed(ctx context.Context) (Feed, error) {
	p, err := owner(ctx)
	if err != nil {
		return Feed{}, err
	}
	at, err := s.queries(ctx).FeedOf(ctx, p.ID)
	if store.NoRows(err) {
		return Feed{}, noFeed()
	}
	if err != nil {
		return Feed{}, fmt.Errorf("load calendar feed: %w", err)
	}
	return Feed{CreatedAt: at}, nil
}

// hashOf is the stored form of a token of 130 random bits.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func noFeed() error {
	return problem.Errorf(problem.NotFound, "You have no calendar feed. Make one first.")
}

// MakeFeed gives the caller a feed with a new address. The one before ends.
func (s *service) MakeFeed(ctx context.Context) (Feed, error) {
	p, err := owner(ctx)
	if err != nil {
		return Feed{}, err
	}
	text := rand.Text()
	return store.InTx(ctx, s.db, func(ctx context.Context) (Feed, error) {
		if err := s.queries(ctx).PutFeed(ctx, maintenancedb.PutFeedParams{UserID: p.ID, TokenHash: hashOf(text)}); err != nil {
			return Feed{}, fmt.Errorf("make calendar feed: %w", err)
		}
		at, err := s.queries(ctx).FeedOf(ctx, p.ID)
		if err != nil {
			return Feed{}, fmt.Errorf("load calendar feed: %w", err)
		}
		return Feed{CreatedAt: at, URL: s.URL + feedPath + "/" + text}, s.recordFeed(ctx, audit.Created, p.ID, "Calendar feed made")
	})
}

// RevokeFeed ends the feed of the caller. A second call finds none.
func (s *service) RevokeFeed(ctx context.Context) error {
	p, err := owner(ctx)
	if err != nil {
		return err
	}
	return s.endFeed(ctx, p.ID, noFeed())
}

// EndFeed ends the feed of another user.
func (s *service) EndFeed(ctx context.Context, user uuid.UUID) error {
	return s.endFeed(ctx, user, problem.Errorf(problem.NotFound, "This person has no calendar feed."))
}

// endFeed ends the feed of a person, or returns missing.
func (s *service) endFeed(ctx context.Context, user uuid.UUID, missing error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		ended, err := s.dropFeed(ctx, user, "Calendar feed revoked")
		if err == nil && !ended {
			return missing
		}
		return err
	})
}

// dropFeed ends the feed of a person, if there is one, in the transaction of ctx.
func (s *service) dropFeed(ctx context.Context, user uuid.UUID, summary string) (ended bool, err error) {
	gone, err := s.queries(ctx).DropFeed(ctx, user)
	if err != nil {
		return false, fmt.Errorf("revoke calendar feed: %w", err)
	}
	if gone == 0 {
		return false, nil
	}
	return true, s.recordFeed(ctx, audit.Deleted, user, summary)
}

func (s *service) recordFeed(ctx context.Context, action audit.Action, user uuid.UUID, summary string) error {
	name := ""
	if p := principal.FromContext(ctx); p.ID == user {
		name = p.Name
	}
	return audit.Record(ctx, s.db, audit.Event{Action: action, Object: audit.Object(feedType, user, name), Summary: summary})
}

// often bounds how often a feed is read. Calendar programs ask a few times an hour, each of the devices of a person for itself.
var often = throttle.Rule{
	Name: "maintenance/feed", FreeFailures: 20, FirstWait: 5 * time.Second, MaxWait: 5 * time.Second, Window: time.Minute,
}

// ICalendar returns the feed with a token as an iCalendar document, with what its owner may see now. Each occurrence is an
// event of its own in UTC, so that no program has to know the rule or the zone.
func (s *service) ICalendar(ctx context.Context, token string) ([]byte, error) {
	missing := problem.Errorf(problem.NotFound, "There is no such calendar feed. Its owner may have revoked or replaced it.")
	id, err := s.queries(ctx).FeedOwner(ctx, hashOf(token))
	if store.NoRows(err) {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("find calendar feed: %w", err)
	}
	const tooMany = "This calendar feed is read too often. Wait %s, and let your calendar program ask less often."
	if err := throttle.New(s.db).Attempt(ctx, tooMany, often.Bucket(id.String())); err != nil {
		return nil, err
	}
	p, err := s.People.Person(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	ctx = principal.NewContext(ctx, p)
	if readable(ctx) != nil {
		return nil, missing
	}
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.calendar(ctx, now.Add(-feedBehind), now.Add(feedAhead), nil, maxFeed)
	if err != nil {
		return nil, err
	}
	return s.document(all.Entries, now)
}

// document writes entries as an iCalendar document of RFC 5545.
func (s *service) document(entries []Entry, now time.Time) ([]byte, error) {
	doc := ics.NewCalendarFor("Countersign")
	doc.SetProductId("-//Countersign//Maintenances//EN")
	doc.SetMethod(ics.MethodPublish)
	doc.SetXWRCalName("Maintenances")
	doc.SetRefreshInterval("PT15M", ics.WithValue("DURATION"))
	for _, e := range entries {
		// The id lasts: an occurrence that is moved stays the same event.
		event := doc.AddEvent(fmt.Sprintf("%s-%d@countersign", e.MaintenanceID, e.At.Unix()))
		event.SetDtStampTime(now)
		event.SetStartAt(e.StartAt)
		event.SetEndAt(e.EndAt)
		event.SetSummary(summaries[e.Status] + e.Title)
		event.SetStatus(ics.ObjectStatusConfirmed)
		if e.Status == Cancelled {
			event.SetStatus(ics.ObjectStatusCancelled)
		}
		names := make([]string, len(e.Systems))
		for i, system := range e.Systems {
			names[i] = system.Name
		}
		event.SetDescription("Systems: " + strings.Join(names, ", ") + "\nTime zone: " + e.Zone)
		event.SetURL(s.URL + "/maintenances/" + e.MaintenanceID.String())
		event.SetTimeTransparency(ics.TransparencyTransparent)
	}
	var out bytes.Buffer
	if err := doc.SerializeTo(&out, ics.WithNewLine("\r\n")); err != nil {
		return nil, fmt.Errorf("write calendar: %w", err)
	}
	return out.Bytes(), nil
}

// summaries begin the summary of an event, so that the word fits the clock.
var summaries = map[Status]string{Cancelled: "Cancelled: ", InProgress: "In progress: ", Completed: "Completed: "}
