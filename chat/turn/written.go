package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/chat/turn/turndb"
	"countersign/tool/disposition"
)

// writtenRow is what one author has written in records, as it is kept.
type writtenRow struct {
	Source   string      `json:"source"`
	AuthorID uuid.UUID   `json:"author_id"`
	Objects  []uuid.UUID `json:"objects"`
}

// TaintWritten is Taint for what the model is shown of records in which others have written. What the conversation holds
// already, accepted or not, is the same content until its author changes it.
func (s *Session) TaintWritten(ctx context.Context, tool string, written []disposition.Written) error {
	written, err := s.unknown(ctx, written)
	if err != nil || len(written) == 0 {
		return err
	}
	raw, err := json.Marshal(byAuthor(written))
	if err != nil {
		return fmt.Errorf("encode authors: %w", err)
	}
	rows, err := turndb.New(s.db.Conn(ctx)).TaintWritten(ctx, turndb.TaintWrittenParams{
		TurnID: s.ID, ConversationID: s.ConversationID, ToolName: tool, Written: raw,
	})
	if err != nil {
		return fmt.Errorf("taint conversation: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, row := range rows {
		s.hold(disposition.Taint{Seq: row.Seq, Kind: disposition.WrittenTaint, Tool: tool, Source: row.Source, At: row.At})
	}
	return nil
}

func (s *Session) unknown(ctx context.Context, written []disposition.Written) ([]disposition.Written, error) {
	if len(written) == 0 {
		return nil, nil
	}
	q := turndb.UnknownWrittenParams{
		ConversationID: s.ConversationID,
		Records:        make([]uuid.UUID, len(written)),
		Authors:        make([]uuid.UUID, len(written)),
		WrittenAt:      make([]time.Time, len(written)),
	}
	for i, w := range written {
		q.Records[i], q.Authors[i], q.WrittenAt[i] = w.ID, w.AuthorID, w.At
	}
	places, err := turndb.New(s.db.Conn(ctx)).UnknownWritten(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("look up taints: %w", err)
	}
	fresh := make([]disposition.Written, len(places))
	for i, place := range places {
		fresh[i] = written[place-1]
	}
	return fresh, nil
}

// byAuthor makes one row of what each author has written. Two who are called the same and wrote in records that are called
// the same are told apart by their place.
func byAuthor(written []disposition.Written) []writtenRow {
	var authors []uuid.UUID
	of := map[uuid.UUID][]disposition.Written{}
	for _, w := range written {
		if !slices.Contains(authors, w.AuthorID) {
			authors = append(authors, w.AuthorID)
		}
		of[w.AuthorID] = append(of[w.AuthorID], w)
	}
	rows := make([]writtenRow, 0, len(authors))
	taken := map[string]int{}
	for _, author := range authors {
		row := writtenRow{AuthorID: author, Source: named(disposition.Source(of[author]))}
		if taken[row.Source]++; taken[row.Source] > 1 {
			row.Source = named(fmt.Sprintf("%d: %s", taken[row.Source], row.Source))
		}
		for _, w := range of[author] {
			row.Objects = append(row.Objects, w.ID)
		}
		rows = append(rows, row)
	}
	return rows
}

// named is a source as it is stored and shown.
func named(source string) string { return disposition.Taint{}.Named(plain(source)).Source }
