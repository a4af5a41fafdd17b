package memory

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/modules/memory/memorydb"
	"countersign/principal"
	"countersign/problem"
	"countersign/text"
)

// Limits of a page.
const (
	defaultPage = 50
	maxPage     = 200
)

const maxQueryWords = 20

// List is a page of the memories that the caller may see, and the cursor of the next page if there is one: newest
// first, or the best first when the filter has a query.
func (s *service) List(ctx context.Context, f Filter, page Page) ([]Memory, string, error) {
	if err := s.checkFilter(ctx, f); err != nil {
		return nil, "", err
	}
	sight, err := s.systems.Sight(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("look up systems: %w", err)
	}
	limit := page.limit()
	params := memorydb.MemoriesParams{
		Search: searchQuery(f.Query), Scope: string(f.Scope), SystemID: f.SystemID, ReaderID: principal.FromContext(ctx).ID,
		Every: sight.Every, Hidden: ids(sight.Hidden), Granted: ids(sight.Granted), MaxRows: int32(limit) + 1,
	}
	if err := page.continueFrom(&params); err != nil {
		return nil, "", err
	}
	found, err := s.find(ctx, params, text.Key(f.Query))
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(found) > limit {
		found = found[:limit]
		next = cursorAfter(found[limit-1])
	}
	rows := make([]memorydb.LockMemoryRow, 0, len(found))
	for _, r := range found {
		rows = append(rows, memorydb.LockMemoryRow{
			ID: r.ID, OwnerID: r.OwnerID, OwnerName: r.OwnerName, Scope: r.Scope, SystemID: r.SystemID, RecallHint: r.RecallHint,
			Content: r.Content, Tags: r.Tags, AlwaysInject: r.AlwaysInject, SourceConversationID: r.SourceConversationID,
			EditorID: r.EditorID, EditorName: r.EditorName, Revision: r.Revision, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		})
	}
	list, err := s.present(ctx, rows)
	return list, next, err
}

// find looks for words and, when none is found, for the query as it is: parts of words, and languages without spaces.
func (s *service) find(ctx context.Context, params memorydb.MemoriesParams, phrase string) ([]memorydb.MemoriesRow, error) {
	if params.Search != "" || phrase == "" {
		found, err := s.queries(ctx).Memories(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("list memories: %w", err)
		}
		if len(found) > 0 || phrase == "" {
			return found, nil
		}
	}
	params.Search, params.Phrase = "", phrase
	found, err := s.queries(ctx).Memories(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list memories: %w", err)
	}
	return found, nil
}

func (s *service) checkFilter(ctx context.Context, f Filter) error {
	var v validation
	v.query("query", f.Query)
	if f.Scope != "" && f.Scope != User && f.Scope != System {
		v.Report("scope", "must be user or system")
	}
	if err := v.Err(); err != nil {
		return err
	}
	if f.SystemID != nil {
		found, err := s.systems.Lookup(ctx, []uuid.UUID{*f.SystemID})
		if err != nil {
			return fmt.Errorf("look up system: %w", err)
		}
		if _, ok := found[*f.SystemID]; !ok {
			return problem.Errorf(problem.NotFound, "No system has the id %s. List the systems to see what exists.", *f.SystemID)
		}
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

func ids(list []uuid.UUID) []uuid.UUID { return append([]uuid.UUID{}, list...) }

func (p Page) limit() int {
	if p.Limit < 1 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// place is where a page ended.
type place struct {
	Rank float64   `json:"r"`
	Time time.Time `json:"t"`
	ID   uuid.UUID `json:"i"`
}

func cursorAfter(row memorydb.MemoriesRow) string {
	raw, err := json.Marshal(place{row.Rank, row.UpdatedAt, row.ID})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func (p Page) continueFrom(params *memorydb.MemoriesParams) error {
	if p.Cursor == "" {
		return nil
	}
	var at place
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		err = json.Unmarshal(raw, &at)
	}
	if err != nil || at.Time.Year() < 1 {
		return problem.UnknownCursor()
	}
	params.Continued, params.AfterRank, params.AfterTime, params.AfterID = true, at.Rank, at.Time, at.ID
	return nil
}

// Limits of what is put into every prompt of a person.
const (
	MaxInjected      = 25
	maxInjectedChars = 4000
	maxInjectedLine  = 600
)

// Injected are the always-inject memories of p's own, newest first, each on one line without a bullet: at most
// MaxInjected, about 4,000 characters together. Never what others wrote: no memory of theirs, no text that somebody else
// has changed and the owner has not chosen again, not even the name of a system. Empty when p may not recall memories.
func (m *Module) Injected(ctx context.Context, p principal.Principal) ([]string, error) {
	if !p.Has(Read) {
		return nil, nil
	}
	ctx = principal.NewContext(ctx, p)
	sight, err := m.service.systems.Sight(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up systems: %w", err)
	}
	rows, err := m.service.queries(ctx).Injected(ctx, memorydb.InjectedParams{
		OwnerID: p.ID, Every: sight.Every, Hidden: ids(sight.Hidden), Granted: ids(sight.Granted), MaxRows: MaxInjected,
	})
	if err != nil {
		return nil, fmt.Errorf("list always-inject memories: %w", err)
	}
	lines, total := []string{}, 0
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
		total += utf8.RuneCountInString(line)
	}
	return slices.Clip(lines), nil
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
