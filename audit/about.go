package audit

import (
	"context"
	"fmt"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
)

// AboutQuery asks for the changes of some objects in a period, and of what they are subjects of.
type AboutQuery struct {
	// Objects are such whose history the reader may read, as See of their kind says; at most a few hundred.
	Objects  []Ref
	From, To time.Time
	// BeforeAt and BeforeEntry are the position of the last known entry.
	BeforeAt    time.Time
	BeforeEntry int64
	// Without are summaries of entries that are left out.
	Without []string
	Limit   int
}

// About lists changes of objects that the reader may see, newest first, with what History shows of each.
func (l *Log) About(ctx context.Context, p principal.Principal, q AboutQuery) ([]ChangeEntry, error) {
	params := auditdb.ChangesAboutParams{
		From: q.From, To: q.To, BeforeAt: q.BeforeAt, BeforeID: q.BeforeEntry, Without: append([]string{}, q.Without...), MaxRows: int32(q.Limit),
	}
	sight := sight{kinds: l.kinds, reader: p, seen: map[Ref]bool{}}
	for _, object := range q.Objects {
		sight.seen[object] = true
		params.ObjectTypes, params.ObjectIds = append(params.ObjectTypes, object.Type), append(params.ObjectIds, object.ID)
	}
	list := []ChangeEntry{}
	for range historyRounds {
		rows, err := auditdb.New(l.db.CustomPlans(ctx)).ChangesAbout(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("list changes of objects: %w", err)
		}
		for _, row := range rows {
			e, err := changeOf(auditdb.ChangesRow(row))
			if err != nil {
				return nil, err
			}
			visible, err := sight.sees(ctx, e)
			if err != nil {
				return nil, err
			}
			if visible && len(list) < q.Limit {
				list = append(list, sight.reduce(e))
			}
			params.BeforeAt, params.BeforeID = row.At, row.ID
		}
		if len(rows) < q.Limit || len(list) == q.Limit {
			break
		}
	}
	return list, nil
}
