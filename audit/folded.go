package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Repeated denials are aggregated: the first refused call has a row and an entry of its own, and those that follow are
// one change of the log about it. That form is known to processes of the previous version, which link, verify and list
// it.

// CallType is the object type of the aggregated entry; its object is the call that has a row.
const CallType = "ai.toolCall"

// Repeats counts the refused calls after the first one, for the same reason.
type Repeats struct {
	Count int64     `json:"count" doc:"How many more calls were refused"`
	First time.Time `json:"first" doc:"When the first of them came"`
	Last  time.Time `json:"last" doc:"When the last of them came"`
	// SeveralTools is set when one caller tried more tools than are counted separately.
	SeveralTools bool `json:"severalTools,omitempty" doc:"They were calls of several tools"`
}

// cells are the columns of an export.
func (r *Repeats) cells() []string {
	if r == nil {
		return []string{"", "", ""}
	}
	return []string{strconv.FormatInt(r.Count, 10), r.First.UTC().Format(time.RFC3339Nano), r.Last.UTC().Format(time.RFC3339Nano)}
}

// Folded are refused calls that one entry aggregates.
type Folded struct {
	// Call is the refused call that has a row.
	Call      uuid.UUID
	Actor     principal.Principal
	Transport string
	// Tool is empty when the calls were of several tools.
	Tool   string
	Effect string
	Reason problem.Code
	Repeats
}

// RecordFolded adds the entry, in the transaction of ctx that removes the counters.
func RecordFolded(ctx context.Context, db *store.DB, f Folded) error {
	first, last := f.First.UTC(), f.Last.UTC()
	summary := fmt.Sprintf("%d more calls were refused between %s and %s", f.Count, first.Format(time.RFC3339), last.Format(time.RFC3339))
	if f.Count == 1 {
		summary = "One more call was refused at " + first.Format(time.RFC3339)
	}
	return Record(Via(ctx, f.Transport), db, Event{
		Action: Refused, Object: Object(CallType, f.Call, f.Tool), Summary: summary, Actor: f.Actor,
		Fields: Fields{
			{Name: "count", To: new(strconv.FormatInt(f.Count, 10))},
			{Name: "first", To: new(first.Format(time.RFC3339Nano))},
			{Name: "last", To: new(last.Format(time.RFC3339Nano))},
			{Name: "effect", To: &f.Effect},
			{Name: "errorCode", To: new(string(f.Reason))},
		},
	})
}

// foldedOf parses the entry of RecordFolded.
func foldedOf(entry int64, toolName, fields string) (Folded, error) {
	f := Folded{Tool: toolName, Repeats: Repeats{SeveralTools: toolName == ""}}
	var list []Field
	err := json.Unmarshal([]byte(fields), &list)
	for _, field := range list {
		if err != nil || field.To == nil {
			continue
		}
		value := *field.To
		switch field.Name {
		case "count":
			f.Count, err = strconv.ParseInt(value, 10, 64)
		case "first":
			f.First, err = time.Parse(time.RFC3339Nano, value)
		case "last":
			f.Last, err = time.Parse(time.RFC3339Nano, value)
		case "effect":
			f.Effect = value
		}
	}
	if err != nil {
		return f, fmt.Errorf("decode the refused calls of audit entry %d: %w", entry, err)
	}
	return f, nil
}

// withRepeats adds to refused calls the number of calls that they stand for.
func withRepeats(ctx context.Context, q *auditdb.Queries, calls []Call) error {
	at, ids, texts := map[uuid.UUID]*Call{}, []uuid.UUID{}, []string{}
	for i := range calls {
		if c := &calls[i]; c.ErrorCode == string(problem.Budget) && c.TurnID == nil {
			at[c.ID], ids, texts = c, append(ids, c.ID), append(texts, c.ID.String())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	// Counted refusals are read first: one that becomes an entry in between is found as an entry.
	counted, err := q.CountedRefusals(ctx, ids)
	if err != nil {
		return fmt.Errorf("read counted refusals: %w", err)
	}
	for _, r := range counted {
		at[r.CallID].More = &Repeats{Count: r.More, First: r.FirstAt, Last: r.LastAt, SeveralTools: r.SeveralTools}
	}
	folded, err := q.FoldedRefusals(ctx, texts)
	if err != nil {
		return fmt.Errorf("read folded refusals: %w", err)
	}
	for _, r := range folded {
		f, err := foldedOf(r.ID, r.ToolName, r.Fields)
		if err != nil {
			return err
		}
		if id, err := uuid.Parse(r.CallID); err == nil && at[id] != nil {
			at[id].More = &f.Repeats
		}
	}
	return nil
}

// calledAgain makes the event of aggregated refusals.
func calledAgain(r auditdb.EventsForRow) (ToolCalled, error) {
	f, err := foldedOf(r.Seq, r.ObjectName, r.Fields)
	if err != nil {
		return ToolCalled{}, err
	}
	id, err := uuid.Parse(r.ObjectID)
	if err != nil {
		return ToolCalled{}, fmt.Errorf("decode the refused calls of audit entry %d: %w", r.Seq, err)
	}
	return ToolCalled{
		Seq: r.Seq, ID: id, At: r.At, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID, Transport: r.Transport,
		ToolName: f.Tool, Effect: f.Effect, Status: "refused", Count: f.Count,
	}, nil
}
