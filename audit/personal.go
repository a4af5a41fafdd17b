package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
)

// Personal data of entries is stored in separate rows, which an erasure deletes. An entry keeps the salted hash of its
// row, and the salt is in the row, so the remaining hash reveals nothing and tampering is detected. A row may be
// missing only when the chain holds the erasure of its person.

// personalOf reads the personal rows of entries, by entry.
func personalOf(ctx context.Context, q *auditdb.Queries, entries map[int64]auditdb.AiAuditEntry) (map[int64]auditdb.PersonalOfRow, error) {
	var ids []int64
	for id, e := range entries {
		if e.PersonalHash != nil {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.PersonalOf(ctx, ids)
	found := make(map[int64]auditdb.PersonalOfRow, len(rows))
	for _, row := range rows {
		found[row.EntryID] = row
	}
	return found, err
}

// erasures caches the people whose erasure is in the log.
type erasures struct {
	q      *auditdb.Queries
	people map[string]bool
}

func erasuresOf(ctx context.Context, q *auditdb.Queries) (*erasures, error) {
	people, err := erasedPeople(ctx, q)
	return &erasures{q, people}, err
}

// check is checkPersonal with the erasures read again when needed: an erasure is logged before its rows are deleted, so
// a reread finds it.
func (e *erasures) check(ctx context.Context, entry auditdb.AiAuditEntry, apart map[int64]auditdb.PersonalOfRow) (string, error) {
	what := checkPersonal(entry, apart, e.people)
	if _, there := apart[entry.ID]; what == "" || there {
		return what, nil
	}
	people, err := erasedPeople(ctx, e.q)
	if err != nil {
		return "", err
	}
	e.people = people
	return checkPersonal(entry, apart, people), nil
}

func erasedPeople(ctx context.Context, q *auditdb.Queries) (map[string]bool, error) {
	ids, err := q.ErasedPeople(ctx)
	erased := make(map[string]bool, len(ids))
	for _, id := range ids {
		erased[id] = true
	}
	return erased, err
}

// checkPersonal returns the defect of an entry's personal row, "" if none.
func checkPersonal(e auditdb.AiAuditEntry, apart map[int64]auditdb.PersonalOfRow, erased map[string]bool) string {
	if e.PersonalHash == nil {
		return ""
	}
	row, found := apart[e.ID]
	if !found {
		if e.PersonID != nil && erased[e.PersonID.String()] {
			return ""
		}
		return fmt.Sprintf("what entry %d (%s) says about a person is missing, and no erasure is on record", e.ID, about(e))
	}
	sum := sha256.Sum256(append(bytes.Clone(row.Salt), row.Data...))
	if !bytes.Equal(sum[:], e.PersonalHash) {
		return fmt.Sprintf("what entry %d (%s) says about a person was changed", e.ID, about(e))
	}
	return ""
}

// Name is the name under which a privacy request counts the personal data of entries.
func (*Log) Name() string { return "auditLogDetails" }

// Count returns how many entries hold personal data of a person.
func (l *Log) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := auditdb.New(l.db.Conn(ctx)).CountPersonal(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count what entries say about a person: %w", err)
	}
	return n, nil
}

// Erase deletes a person's personal data; the entries stay. The erasure is logged first: without it the chain would not
// verify.
func (l *Log) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := auditdb.New(l.db.Conn(ctx)).ErasePersonal(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase what entries say about a person: %w", err)
	}
	return n, nil
}
