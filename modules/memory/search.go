package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/modules/memory/memorydb"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
)

const maxQueryWords = 20

// List is a page of the memories that the caller may see: newest first, or the best first when the filter has a query.
func (s *service) List(ctx context.Context, f Filter, page rest.Page) ([]Memory, rest.Next, error) {
	var v validation
	phrase := v.filter(f)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	if err := s.checkSystem(ctx, f.SystemID); err != nil {
		return nil, rest.Next{}, err
	}
	at, err := placeAfter(page)
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
	found, next := rest.Cut(page, found, placeOf)
	rows := make([]memorydb.LockMemoryRow, 0, len(found))
	for _, row := range found {
		rows = append(rows, memorydb.LockMemoryRow(row))
	}
	list, err := s.present(ctx, rows)
	return list, next, err
}

// checkSystem refuses a system that is not there for the caller, instead of finding nothing on it.
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

// searchQuery is a text-search query for any of the words, also as beginnings of longer ones.
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

// place is where a page ended.
type place struct {
	Rank float64   `json:"r"`
	Time time.Time `json:"t"`
	ID   uuid.UUID `json:"i"`
}

// placeOf never fails: a row has no number that JSON cannot say.
func placeOf(row memorydb.SearchRow) string {
	raw, _ := json.Marshal(place{row.Rank, row.UpdatedAt, row.ID})
	return string(raw)
}

// placeAfter is where the page before ended, nil on the first one.
func placeAfter(page rest.Page) (*place, error) {
	after, err := page.After()
	if err != nil || after == "" {
		return nil, err
	}
	var at place
	if err := json.Unmarshal([]byte(after), &at); err != nil || at.Time.Year() < 1 {
		return nil, problem.UnknownCursor()
	}
	return &at, nil
}

// Limits of what is put into every prompt of a person.
const (
	MaxInjected      = 25
	maxInjectedChars = 4000
	maxInjectedLine  = 600
)

// Injected are the always-inject memories of p's own, newest first, each on one line without a bullet: at most
// MaxInjected, about 4,000 characters together. Never what others wrote: no memory of theirs, no text that somebody else
// has changed and the owner has not chosen again, not even the name of a system. outside names those that were written
// after reading content from outside. Empty when p may not recall memories.
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
			// Another text under the same hint is another content.
			outside = append(outside, fmt.Sprintf("%s (revision %d)", row.RecallHint, row.Revision))
		}
		total += utf8.RuneCountInString(line)
	}
	return lines, outside, nil
}

// shorten cuts a line to a number of characters; empty when too few are left to say anything.
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
