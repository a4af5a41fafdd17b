package inspector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool/spend"
)

// Teams resolves the names of teams, and tells service accounts from people.
type Teams interface {
	TeamNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
	IsApplication(ctx context.Context, id uuid.UUID) (bool, error)
}

// Connection is a connection in the report.
type Connection struct {
	ID      uuid.UUID
	Name    string
	Cap     spend.Cap
	Enabled bool
}

// Connections lists the connections.
type Connections interface {
	Connections(ctx context.Context) ([]Connection, error)
}

// Limits of a report.
const (
	maxSlots = 100
	maxDays  = 366
	// Years outside of this range cannot be formatted.
	firstYear, lastYear = 1, 9998
)

// SpendQuery selects the days and the split of a report.
type SpendQuery struct {
	From         string `query:"from" required:"true" format:"date" maxLength:"10" doc:"The first day, such as 2026-11-01"`
	To           string `query:"to" required:"true" format:"date" maxLength:"10" doc:"The last day"`
	Zone         string `query:"zone" default:"UTC" maxLength:"64" doc:"The time zone that days begin in, such as Europe/Vienna"`
	Step         string `query:"step" default:"day" enum:"hour,day,week,month" doc:"At most 100 of them. Weeks begin on Monday; the first week and the first month are whole ones."`
	Split        string `query:"split" default:"connection" enum:"none,connection,model,person,team,caller"`
	ConnectionID string `query:"connectionId" maxLength:"36" doc:"Only calls on this connection"`
}

type reportQuery struct {
	SpendQuery

	PrincipalID string `query:"principalId" maxLength:"36" doc:"Only calls of this person or application"`
}

// SpendReport is the usage in a range of days.
type SpendReport struct {
	Zone   string        `json:"zone"`
	Step   string        `json:"step" enum:"hour,day,week,month"`
	Split  string        `json:"split" enum:"none,connection,model,person,team,caller"`
	Starts []time.Time   `json:"starts" nullable:"false" doc:"When the slots begin"`
	End    time.Time     `json:"end" doc:"When the last slot ends"`
	Series []SpendSeries `json:"series" nullable:"false" doc:"The largest first, all others together last. Who is in several teams counts for each of them."`
	Limits []SpendLimit  `json:"limits" nullable:"false" doc:"The caps of the one person or application that the report is about, on those of its connections that can be chosen; for callers who may chat"`
}

// SpendSeries is the usage of one key of the split.
type SpendSeries struct {
	Key    string     `json:"key" doc:"The id of a connection, person or team, the name of a model, or chat, client, automation, application, check; empty for none, and for all others"`
	Name   string     `json:"name,omitempty" doc:"What a connection, person or team is called; left out when it is gone"`
	Others bool       `json:"others" doc:"All that are not shown apart"`
	Total  SpendUse   `json:"total"`
	Slots  []SpendUse `json:"slots" nullable:"false" doc:"One for each start"`
}

// SpendUse is the total usage of calls.
type SpendUse struct {
	Calls        int64 `json:"calls"`
	Priced       int64 `json:"priced" doc:"How many of the calls have a cost"`
	Tokens       int64 `json:"tokens" doc:"What caps count: with estimates of calls whose use nobody has told"`
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	CachedTokens int64 `json:"cachedTokens" doc:"The part of the input that the provider had in its cache"`
	CostMicros   int64 `json:"costMicros" doc:"Of the calls that have a cost, in millionths"`
}

// SpendLimit is a cap.
type SpendLimit struct {
	ConnectionID   uuid.UUID `json:"connectionId"`
	ConnectionName string    `json:"connectionName"`
	Tokens         int64     `json:"tokens"`
	WindowMinutes  int       `json:"windowMinutes"`
	Used           int64     `json:"used" doc:"Within the window that ends now"`
}

func (u *SpendUse) add(o spend.Use) {
	u.Calls += o.Calls
	u.Priced += o.Priced
	u.Tokens += o.Tokens
	u.InputTokens += o.InputTokens
	u.OutputTokens += o.OutputTokens
	u.CachedTokens += o.CachedTokens
	u.CostMicros += o.CostMicros
}

// sumSpend sums the usage of one principal, or of all when who is nil.
func (m *Module) sumSpend(ctx context.Context, in SpendQuery, who *uuid.UUID) (SpendReport, error) {
	r, err := in.slots()
	if err != nil {
		return SpendReport{}, err
	}
	if r.Connection, err = rest.OptionalID("connectionId", in.ConnectionID); err != nil {
		return SpendReport{}, err
	}
	r.Principal, r.Split = who, spend.Split(in.Split)
	points, err := m.Spend.Series(ctx, r)
	if err != nil {
		return SpendReport{}, err
	}
	report := SpendReport{
		Zone:   in.Zone,
		Step:   in.Step,
		Split:  in.Split,
		Starts: r.Starts,
		End:    r.End,
		Series: []SpendSeries{},
		Limits: []SpendLimit{},
	}
	for _, p := range points {
		last := len(report.Series) - 1
		if last < 0 || report.Series[last].Key != p.Key || report.Series[last].Others != p.Others {
			report.Series = append(report.Series, SpendSeries{Key: p.Key, Others: p.Others, Slots: make([]SpendUse, len(r.Starts))})
			last++
		}
		report.Series[last].Slots[p.Slot].add(p.Use)
		report.Series[last].Total.add(p.Use)
	}
	slices.SortStableFunc(report.Series, largestFirst)
	connections, err := m.Connections.Connections(ctx)
	if err != nil {
		return SpendReport{}, fmt.Errorf("find connections: %w", err)
	}
	// Connections are listed only for callers who can choose one.
	if err := m.nameSeries(ctx, report, connections); err != nil || who == nil || !principal.FromContext(ctx).Has(ChatRead) {
		return report, err
	}
	report.Limits, err = m.limits(ctx, *who, r.Connection, connections)
	return report, err
}

func largestFirst(a, b SpendSeries) int {
	if a.Others != b.Others {
		if a.Others {
			return 1
		}
		return -1
	}
	if a.Total.CostMicros != b.Total.CostMicros {
		return cmp.Compare(b.Total.CostMicros, a.Total.CostMicros)
	}
	return cmp.Compare(b.Total.Tokens, a.Total.Tokens)
}

func (m *Module) nameSeries(ctx context.Context, report SpendReport, connections []Connection) error {
	ids := make([]uuid.UUID, 0, len(report.Series))
	for _, s := range report.Series {
		if id, err := uuid.Parse(s.Key); err == nil {
			ids = append(ids, id)
		}
	}
	var called map[uuid.UUID]string
	var err error
	switch spend.Split(report.Split) {
	case spend.ByConnection:
		called = map[uuid.UUID]string{}
		for _, c := range connections {
			called[c.ID] = c.Name
		}
	case spend.ByPerson:
		called, err = m.Names.Names(ctx, ids)
	case spend.ByTeam:
		called, err = m.Teams.TeamNames(ctx, ids)
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("find names of who has used models: %w", err)
	}
	for i := range report.Series {
		if id, err := uuid.Parse(report.Series[i].Key); err == nil {
			report.Series[i].Name = called[id]
		}
	}
	return nil
}

// limits returns the caps of a principal. Applications have the caps for unattended calls.
func (m *Module) limits(ctx context.Context, who uuid.UUID, connection *uuid.UUID, connections []Connection) ([]SpendLimit, error) {
	limits := []SpendLimit{}
	application, err := m.Teams.IsApplication(ctx, who)
	if err != nil {
		return nil, fmt.Errorf("find out whether a principal is an application: %w", err)
	}
	kind := principal.User
	if application {
		kind = principal.Application
	}
	for _, c := range connections {
		if !c.Enabled || connection != nil && *connection != c.ID {
			continue
		}
		limit, _ := c.Cap.For(application)
		if limit.IsZero() {
			continue
		}
		state, err := m.Spend.State(ctx, principal.Principal{Kind: kind, ID: who}, c.ID, c.Cap)
		if err != nil {
			return nil, err
		}
		limits = append(limits, SpendLimit{
			ConnectionID: c.ID, ConnectionName: c.Name, Tokens: limit.Tokens, WindowMinutes: int(limit.Window / time.Minute), Used: state.Used,
		})
	}
	return limits, nil
}

// slots returns the start times of the report's hours, days, weeks or months.
func (q SpendQuery) slots() (r spend.Range, err error) {
	var issues problem.Issues
	zone, err := time.LoadLocation(q.Zone)
	if err != nil || q.Zone == "Local" {
		issues.Report("zone", "must be the name of a time zone, such as Europe/Vienna")
		zone = time.UTC
	}
	from, errFrom := time.Parse(time.DateOnly, q.From)
	to, errTo := time.Parse(time.DateOnly, q.To)
	switch {
	case errFrom != nil || from.Year() < firstYear:
		issues.Report("from", "must be a day, such as 2026-11-01")
	case errTo != nil || to.Year() > lastYear:
		issues.Report("to", "must be a day, such as 2026-11-30")
	case to.Before(from):
		issues.Report("to", "must not be before the first day")
	case to.After(from.AddDate(0, 0, maxDays)):
		issues.Report("to", "must be at most 366 days after the first day")
	}
	if err := issues.Err(); err != nil {
		return r, err
	}
	r.End = dayStart(to.AddDate(0, 0, 1), zone).UTC()
	switch q.Step {
	case "week":
		from = from.AddDate(0, 0, -(int(from.Weekday())+6)%7)
	case "month":
		from = from.AddDate(0, 0, 1-from.Day())
	}
	for day, at := from, dayStart(from, zone); at.Before(r.End); day, at = q.after(day, at) {
		if len(r.Starts) == maxSlots {
			return r, problem.InvalidInput(
				"These are more than 100 steps. Ask for larger steps or fewer days.",
				problem.Issue{Path: "step", Message: "must give at most 100 steps"},
			)
		}
		r.Starts = append(r.Starts, at.UTC())
	}
	return r, nil
}

// dayStart returns the start of a day in a zone: the first existing hour where clocks go forward at midnight.
func dayStart(day time.Time, zone *time.Location) time.Time {
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	if at.Day() == day.AddDate(0, 0, -1).Day() {
		_, at = at.ZoneBounds()
	}
	return at
}

// after returns the slot that follows, and when it begins. A day can have 23 or 25 hours.
func (q SpendQuery) after(day, at time.Time) (next, begin time.Time) {
	switch q.Step {
	case "hour":
		return day, at.Add(time.Hour)
	case "week":
		next = day.AddDate(0, 0, 7)
	case "month":
		next = day.AddDate(0, 1, 0)
	default:
		next = day.AddDate(0, 0, 1)
	}
	return next, dayStart(next, at.Location())
}
