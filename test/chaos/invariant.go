package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/chat/stream"
	"countersign/internal/store"
	"countersign/internal/text/strictjson"
)

// quiescence is the time after the last kill in which all work must end. The longest is a tool call of the killed
// process: it may take 45 s and is given up after 55, at the next poll ten seconds later, by a process that may have to
// take over the chores first.
const quiescence = 90 * time.Second

//go:embed invariants/*.sql
var queries embed.FS

// inquire runs one of the invariant queries; each lists violations as a subject and a sentence.
func inquire(ctx context.Context, db *store.DB, name string) ([]violation, error) {
	text, err := queries.ReadFile(path.Join("invariants", name))
	if err != nil {
		return nil, err
	}
	rows, err := db.Conn(ctx).Query(ctx, string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer rows.Close()
	var list []violation
	for rows.Next() {
		var subject *uuid.UUID
		v := violation{what: strings.TrimSuffix(name, ".sql")}
		if err := rows.Scan(&subject, &v.text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if subject != nil {
			v.subject = *subject
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// settle waits until no work runs in the database and in Temporal, and returns the time since the last kill. Work that
// runs for too long is a violation.
func settle(ctx context.Context, w *world, l *ledger, lastKill time.Time) (time.Duration, error) {
	for {
		open, err := inquire(ctx, w.db, "open.sql")
		if err != nil {
			return 0, err
		}
		running, err := w.openWorkflows(ctx)
		if err != nil {
			return 0, err
		}
		took := time.Since(lastKill)
		if len(open) == 0 && running == 0 {
			return took, nil
		}
		if took > quiescence+w.ttl || took > quiescence && len(open) > 0 {
			for _, v := range open {
				l.complain(violation{"not at rest", v.subject, v.text + " " + took.Round(time.Second).String() + " after the last kill"})
			}
			if len(open) == 0 {
				l.complain(violation{what: "not at rest", text: fmt.Sprintf("%d workflows run although nothing is left to do", running)})
			}
			return took, nil
		}
		wait(ctx, 200*time.Millisecond)
		if ctx.Err() != nil {
			return took, ctx.Err()
		}
	}
}

// check compares the database with the invariants and with the people's observations.
func check(ctx context.Context, w *world, l *ledger) error {
	if err := w.outside.checkCalls(ctx, w.db, l); err != nil {
		return err
	}
	files, err := queries.ReadDir("invariants")
	if err != nil {
		return err
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "i") {
			continue
		}
		list, err := inquire(ctx, w.db, f.Name())
		if err != nil {
			return err
		}
		for _, v := range list {
			l.complain(v)
		}
	}
	for _, r := range l.all() {
		if err := checkRun(ctx, w.db, l, r); err != nil {
			return err
		}
	}
	return nil
}

// checkRun compares the answers that one person received with the database.
func checkRun(ctx context.Context, db *store.DB, l *ledger, r *run) error {
	for _, a := range r.accepted {
		var n int
		err := db.Conn(
			ctx,
		).QueryRow(
			ctx,
			"SELECT count(*) FROM ai_turns WHERE conversation_id = $1 AND message_id = $2",
			a.conversation,
			a.message,
		).Scan(
			&n,
		)
		if err != nil {
			return fmt.Errorf("count turns: %w", err)
		}
		if n != 1 {
			l.complain(violation{"i1-messages", a.conversation, fmt.Sprintf("an accepted message has %d turns", n)})
		}
	}
	for _, id := range r.applied {
		var status string
		if err := db.Conn(ctx).QueryRow(ctx, "SELECT status FROM ai_proposals WHERE id = $1", id).Scan(&status); err != nil {
			return fmt.Errorf("read proposal: %w", err)
		}
		if status != "applied" {
			l.complain(violation{"i5-effects", id, "a person was told that it is applied, and it is " + status})
		}
	}
	if r.scenario == "rival" && len(r.applied) > 1 {
		l.complain(violation{"i5-effects", r.applied[0], "two people were told that their token was spent"})
	}
	for _, f := range r.turns {
		if err := checkStream(ctx, db, l, f); err != nil {
			return err
		}
	}
	return nil
}

// checkStream reduces the stream that a client received, over all resumptions, and compares it with the stored message.
func checkStream(ctx context.Context, db *store.DB, l *ledger, f followed) error {
	var parts, metadata []byte
	err := db.Conn(
		ctx,
	).QueryRow(
		ctx,
		"SELECT parts, metadata FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'",
		f.turn,
	).Scan(
		&parts,
		&metadata,
	)
	if store.NoRows(err) {
		return nil // I3 reports it
	}
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	decided, err := decisions(ctx, db, f.turn)
	if err != nil {
		return err
	}
	if err := compare(f.chunks, parts, metadata, decided); err != nil {
		l.complain(violation{"stream", f.turn, err.Error()})
	}
	return nil
}

// decisions are the states of a turn's proposals by id.
func decisions(ctx context.Context, db *store.DB, turn uuid.UUID) (map[string]string, error) {
	rows, err := db.Conn(ctx).Query(ctx, "SELECT id::text, status FROM ai_proposals WHERE turn_id = $1", turn)
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	decided := map[string]string{}
	var id, status string
	_, err = pgx.ForEachRow(rows, []any{&id, &status}, func() error {
		decided[id] = status
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return decided, nil
}

// outcomes maps the state of a call that a client received to the possible states of its proposal.
var outcomes = map[string][]string{
	stream.OutputDenied: {"declined", "expired"}, stream.OutputAvailable: {"applied"}, stream.OutputError: {"failed", "skipped"},
}

// asked removes from a client's parts the approval requests and their outcomes: a stream that is read again after the
// decisions contains the outcomes, and the stored message the request.
func asked(parts []stream.Part, decided map[string]string) {
	for i := range parts {
		p := &parts[i]
		if p.Approval != nil && slices.Contains(outcomes[p.State], decided[p.Approval.ID]) {
			p.State, p.Output, p.ErrorText = stream.ApprovalRequested, nil, ""
		}
	}
}

// compare says how the message that a stream reduces to differs from the stored one.
func compare(chunks []string, parts, metadata []byte, decided map[string]string) error {
	got, err := stream.Reduce(chunks)
	if err != nil {
		return fmt.Errorf("the client cannot read it: %w", err)
	}
	asked(got.Parts, decided)
	seen, err := json.Marshal(got.Parts)
	if err != nil {
		return fmt.Errorf("encode parts: %w", err)
	}
	if !strictjson.Same(seen, parts) {
		return fmt.Errorf("the client has %s and the database %s", seen, parts)
	}
	if !strictjson.Same(got.Metadata, metadata) {
		return fmt.Errorf("the client has the metadata %s and the database %s", got.Metadata, metadata)
	}
	return nil
}
