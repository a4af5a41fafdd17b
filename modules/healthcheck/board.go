package healthcheck

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
)

// BoardDay is the health of a system on a day (UTC).
type BoardDay struct {
	Day          string   `json:"day" doc:"Such as 2026-11-22"`
	Availability *float64 `json:"availability,omitempty" doc:"Which part of the measured time was no downtime, from 0 to 1, or of the due times was not missed; absent when nothing was measured or due."`
	Measured     int64    `json:"measuredMs" doc:"The time in which the status was known, in milliseconds."`
	Down         int64    `json:"downMs" doc:"The part of it in which the system was degraded or unhealthy."`
	Due          int64    `json:"dueTimes,omitempty" doc:"How many due times of its jobs were decided, for a system whose checks all await jobs with a cron schedule. They count instead of time."`
	MissedDue    int64    `json:"missedDueTimes,omitempty" doc:"How many of them were missed."`
	Worst        Status   `json:"worst" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
}

// BoardRow is a system on the board.
type BoardRow struct {
	SystemID   uuid.UUID   `json:"systemId"`
	SystemName string      `json:"systemName"`
	Status     Status      `json:"status" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
	Since      *time.Time  `json:"since,omitempty"`
	Reason     string      `json:"reason"`
	Checks     int         `json:"checks" doc:"How many of its checks run, of those that the reader may see."`
	Tags       []string    `json:"tags,omitempty"`
	Planned    string      `json:"maintenance,omitempty" doc:"The title of a maintenance in progress, which changes no status: one that the reader may see."`
	GroupIDs   []uuid.UUID `json:"groupIds,omitempty" doc:"Groups of the system that the reader may see; groups of the answer names them."`
}

// Board is a page of the board.
type Board struct {
	Systems []BoardRow   `json:"systems" nullable:"false" doc:"The worst first, then by name."`
	Groups  []BoardGroup `json:"groups" nullable:"false" doc:"The groups of the systems of the page, by name."`
	Counts  BoardCounts  `json:"counts" doc:"Systems by status on all pages, whatever status was asked for."`
	Partial bool         `json:"partial,omitempty" doc:"Order and counts are those of 10,000 systems by name: narrow the selection. Pages go on with the next 10,000."`
	rest.Next
}

// BoardCounts counts systems by status.
type BoardCounts struct {
	Unhealthy     int `json:"unhealthy"`
	Degraded      int `json:"degraded"`
	Unknown       int `json:"unknown"`
	PartlyUnknown int `json:"partlyUnknown"`
	Healthy       int `json:"healthy"`
}

func (c *BoardCounts) add(s Status) {
	switch s {
	case Unhealthy:
		c.Unhealthy++
	case Degraded:
		c.Degraded++
	case PartlyUnknown:
		c.PartlyUnknown++
	case Healthy:
		c.Healthy++
	default:
		c.Unknown++
	}
}

// BoardGroup is a group of systems.
type BoardGroup struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// BoardPast is how a system has been.
type BoardPast struct {
	SystemID uuid.UUID  `json:"systemId"`
	Days     []BoardDay `json:"days" nullable:"false" doc:"The last 90 days (UTC), the oldest first, today included: days=90 of charts and statistics."`
	Latency  []*float64 `json:"latency" nullable:"false" doc:"Mean milliseconds of the runs of each of the last 24 hours, the oldest first; null where nothing ran."`
}

// Selection narrows the systems of a board; empty fields match all.
type Selection struct {
	// Query is searched in names, descriptions and tags.
	Query, Tag string
	GroupID    *uuid.UUID
}

// boardWindow bounds the systems whose statuses are read to order and count a board. Larger selections are ordered one
// window after the other, each by name, so that pages still reach every system.
const boardWindow = 10_000

// worstFirst are all statuses in the order of the board. Statuses that say nothing good come before healthy.
var worstFirst = []Status{Unhealthy, Degraded, Unknown, PartlyUnknown, Healthy}

// boardPlace is where a page of the board begins: in the window of the systems after a name, behind the name of a
// status. The zero value is the beginning.
type boardPlace struct {
	window string
	rank   int
	name   string
}

func (p boardPlace) cursor() rest.Next {
	return rest.NextAfter(strings.Join([]string{p.window, strconv.Itoa(p.rank), p.name}, "\n"))
}

func parseBoardPlace(cursor string) (p boardPlace, err error) {
	key, err := rest.Page{Cursor: cursor}.After()
	if err != nil || key == "" {
		return p, err
	}
	parts := strings.Split(key, "\n")
	if len(parts) != 3 {
		return p, problem.UnknownCursor()
	}
	if p.rank, err = strconv.Atoi(parts[1]); err != nil {
		return p, problem.UnknownCursor()
	}
	p.window, p.name = parts[0], parts[2]
	return p, nil
}

// ranked is a system with the place of its status in worstFirst.
type ranked struct {
	Named

	rank int
}

// Board lists the systems that the caller may see with their health, the worst first and then by name; status is
// empty for all.
func (s *service) Board(ctx context.Context, selection Selection, status Status, page rest.Page) (Board, error) {
	from, err := parseBoardPlace(page.Cursor)
	if err != nil {
		return Board{}, err
	}
	systems, more, err := s.Systems.Browse(ctx, selection, from.window, boardWindow)
	if err != nil {
		return Board{}, err
	}
	b := Board{Partial: more || from.window != ""}
	order, err := s.rank(ctx, systems, &b.Counts)
	if err != nil {
		return Board{}, err
	}
	order = slices.DeleteFunc(order, func(r ranked) bool {
		behind := r.rank > from.rank || r.rank == from.rank && text.Key(r.Name) > from.name
		return !behind || status != "" && worstFirst[r.rank] != status
	})
	switch {
	case len(order) > page.Limit:
		order = order[:page.Limit]
		last := order[page.Limit-1]
		b.Next = boardPlace{from.window, last.rank, text.Key(last.Name)}.cursor()
	case more:
		b.Next = boardPlace{window: text.Key(systems[len(systems)-1].Name)}.cursor()
	}
	if b.Systems, err = s.boardRows(ctx, order); err != nil {
		return Board{}, err
	}
	b.Groups, err = s.addBoardGroups(ctx, b.Systems)
	return b, err
}

// rank orders systems by status, the worst first, and counts them. Systems of one status keep their order.
func (s *service) rank(ctx context.Context, systems []Named, counts *BoardCounts) ([]ranked, error) {
	ids := make([]uuid.UUID, len(systems))
	for i, system := range systems {
		ids[i] = system.ID
	}
	rows, err := s.queries(ctx).SystemStatuses(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read statuses of systems: %w", err)
	}
	statuses := make(map[uuid.UUID]int16, len(rows))
	for _, row := range rows {
		statuses[row.SystemID] = row.Status
	}
	order := make([]ranked, len(systems))
	for i, system := range systems {
		// A system without a state is unknown, as the zero status is.
		status := statusOf(statuses[system.ID])
		counts.add(status)
		order[i] = ranked{system, slices.Index(worstFirst, status)}
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return a.rank - b.rank })
	return order, nil
}

// addBoardGroups adds the visible groups to rows and returns them by name.
func (s *service) addBoardGroups(ctx context.Context, rows []BoardRow) ([]BoardGroup, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.SystemID
	}
	groups, members, err := s.Systems.GroupsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].GroupIDs = members[rows[i].SystemID]
	}
	return groups, nil
}

// Past returns how systems have been, of those that the caller may see.
func (s *service) Past(ctx context.Context, ids []uuid.UUID) ([]BoardPast, error) {
	seen, err := s.Systems.Lookup(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look up systems: %w", err)
	}
	rows := []BoardPast{}
	for _, id := range ids {
		if _, ok := seen[id]; ok {
			delete(seen, id)
			rows = append(rows, BoardPast{SystemID: id, Days: []BoardDay{}, Latency: []*float64{}})
		}
	}
	return rows, s.addDays(ctx, rows)
}
