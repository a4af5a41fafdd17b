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

// writtenRow is the stored form of one author's content in records.
type writtenRow struct {
	Source   string      `json:"source"`
	AuthorID uuid.UUID   `json:"author_id"`
	Objects  []uuid.UUID `json:"objects"`
}

// TaintWritten is Taint for content of other users in records. Known content, accepted or not, adds no taint until its
// author changes it.
func (s *Session) TaintWritten(ctx context.Context, tool string, written []disposition.Written) error {
	written, err := s.newTaints(ctx, written)
	if err != nil || len(written) == 0 {
		return err
	}
	raw, err := json.Marshal(groupByAuthor(written))
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
		s.addTaint(disposition.Taint{Seq: row.Seq, Kind: disposition.WrittenTaint, Tool: tool, Source: row.Source, At: row.At})
	}
	return nil
}

func (s *Session) newTaints(ctx context.Context, written []disposition.Written) ([]disposition.Written, error) {
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

// groupByAuthor makes one row for each author. Equal names of authors and records get a number.
func groupByAuthor(written []disposition.Written) []writtenRow {
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
		row := writtenRow{AuthorID: author, Source: sourceName(disposition.Source(of[author]))}
		if taken[row.Source]++; taken[row.Source] > 1 {
			row.Source = sourceName(fmt.Sprintf("%d: %s", taken[row.Source], row.Source))
		}
		for _, w := range of[author] {
			row.Objects = append(row.Objects, w.ID)
		}
		rows = append(rows, row)
	}
	return rows
}

// sourceName is the stored and shown form of a source.
func sourceName(source string) string { return disposition.Taint{}.Named(plain(source)).Source }
