package rest

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

// Limits of a page.
const (
	defaultPage = 200
	maxPage     = 500
)

// Page selects a part of a list. Queries of lists embed it. Limit 0 means the default.
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"200" doc:"How many to list at most."`
	Cursor string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
}

// Next is embedded by answers with a list.
type Next struct {
	NextCursor string `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one."`
}

// After returns the key of the last row of the page before, "" for the first page. An invalid cursor is
// problem.Invalid.
func (p Page) After() (string, error) {
	key, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil || !utf8.Valid(key) || bytes.ContainsRune(key, 0) {
		return "", problem.UnknownCursor()
	}
	return string(key), nil
}

// AfterID returns the id after which the page starts, nil for the first one.
func (p Page) AfterID() (*uuid.UUID, error) {
	after, err := p.After()
	if err != nil || after == "" {
		return nil, err
	}
	id, err := uuid.Parse(after)
	if err != nil {
		return nil, problem.UnknownCursor()
	}
	return &id, nil
}

// Rows is the number of rows to read: one more than the page holds, to find out whether there is another page.
func (p Page) Rows() int32 { return int32(p.limit()) + 1 }

func (p Page) limit() int {
	if p.Limit < 1 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// NextAfter makes the cursor of the page after a key.
func NextAfter(key string) Next { return Next{base64.RawURLEncoding.EncodeToString([]byte(key))} }

// Cut shortens rows to the page; key returns the key of a row for the next page's cursor.
func Cut[Row any](p Page, rows []Row, key func(Row) string) ([]Row, Next) {
	limit := p.limit()
	if len(rows) <= limit {
		return rows, Next{}
	}
	rows = rows[:limit]
	return rows, NextAfter(key(rows[limit-1]))
}
