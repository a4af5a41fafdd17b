package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/memory/memorydb"
)

const maxQueryWords = 20

// List returns a page of visible memories: newest first, or the best first with a query.
func (s *service) List(ctx context.Context, f Filter, page rest.Page) ([]Memory, rest.Next, error) {
	var v validation
	phrase := v.filter(f)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	if err := s.checkSystem(ctx, f.SystemID); err != nil {
		return nil, rest.Next{}, err
	}
	at, err := parseCursor(page)
	if err != nil {
		return nil, rest.Next{}, err
	}
	find := func(rows int32) ([]memorydb.SearchRow, error) { return s.newest(ctx, f, at, rows) }
	if phrase != "" {
		find = func(rows int32) ([]memorydb.SearchRow, error) { return s.search(ctx, f, phrase, at, rows) }
	}
	found, err := find(page.Rows())
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list memories: %w", err)
	}
	found, next := rest.Cut(page, found, cursorOf)
	rows := make([]memorydb.LockMemoryRow, 0, len(found))
	for _, row := range found {
		rows = append(rows, memorydb.LockMemoryRow(row))
	}
	list, err := s.present(ctx, rows)
	return list, next, err
}

// checkSystem refuses a system that the caller does not see, instead of an empty list.
func (s *service) checkSystem(ctx context.Context, id *uuid.UUID) error {
	if id == nil {
		return nil
	}
	found, err := s.systems.Lookup(ctx, []uuid.UUID{*id})
	if err != nil {
		return fmt.Errorf("look up system: %w", err)
	}
	if _, ok := found[*id]; !ok {
		return s.systems.Sight(ctx).Kind.Missing(*id)
	}
	return nil
}

// searchQuery builds a text-search query for any of the words as prefixes.
func searchQuery(query string) string {
	const shortestPrefix = 3
	words := hintWords(query)
	if len(words) > maxQueryWords {
		words = words[:maxQueryWords]
	}
	terms := make([]string, 0, len(words))
	for _, word := range words {
		term := "'" + word + "'"
		if utf8.RuneCountInString(word) >= shortestPrefix {
			term += ":*"
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " | ")
}

// searchCursor is the cursor of a page.
type searchCursor struct {
	Rank float64   `json:"r"`
	Time time.Time `json:"t"`
	ID   uuid.UUID `json:"i"`
}

// cursorOf never fails: rows hold no number that JSON cannot encode.
func cursorOf(row memorydb.SearchRow) string {
	raw, _ := json.Marshal(searchCursor{row.Rank, row.UpdatedAt, row.ID})
	return string(raw)
}

// parseCursor parses a cursor, nil on the first page.
func parseCursor(page rest.Page) (*searchCursor, error) {
	after, err := page.After()
	if err != nil || after == "" {
		return nil, err
	}
	var at searchCursor
	if err := json.Unmarshal([]byte(after), &at); err != nil || at.Time.Year() < 1 {
		return nil, problem.UnknownCursor()
	}
	return &at, nil
}

// Limits of the memories in each prompt of a person.
const (
	MaxInjected      = 25
	maxInjectedChars = 4000
	maxInjectedLine  = 600
)

// Injected returns p's own always-inject memories, newest first, each as one line: at most MaxInjected and about
// 4,000 characters. Against prompt injection it holds no text of other users, no text changed by another user since
// the owner's choice, and no system names. outside lists those written after reading untrusted content. It is empty
// without the right to recall memories.
func (m *Module) Injected(ctx context.Context, p principal.Principal) (lines, outside []string, err error) {
	if !p.Has(Read) {
		return nil, nil, nil
	}
	ctx = principal.NewContext(ctx, p)
	sight := m.service.systems.Sight(ctx)
	rows, err := m.service.queries(ctx).Injected(ctx, memorydb.InjectedParams{
		OwnerID:     p.ID,
		ObjectType:  sight.Kind.ObjectType,
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
		MaxRows:     MaxInjected,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list always-inject memories: %w", err)
	}
	total := 0
	for _, row := range rows {
		line := row.RecallHint + ": " + strings.Join(strings.Fields(row.Content), " ")
		if row.SystemID != nil {
			line = "(system " + row.SystemID.String() + ") " + line
		}
		line = shorten(line, min(maxInjectedLine, maxInjectedChars-total))
		if line == "" {
			break
		}
		lines = append(lines, line)
		if row.Outside {
			// A changed text under the same hint is other content.
			outside = append(outside, fmt.Sprintf("%s (revision %d)", row.RecallHint, row.Revision))
		}
		total += utf8.RuneCountInString(line)
	}
	return lines, outside, nil
}

// shorten cuts a line to a number of characters; empty when too few are left to be useful.
func shorten(line string, limit int) string {
	const least = 40
	runes := []rune(line)
	switch {
	case len(runes) <= limit:
		return line
	case limit < least:
		return ""
	default:
		return string(runes[:limit-1]) + "…"
	}
}
