package audit

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
)

// Formats of an export.
const (
	CSV    = "csv"
	NDJSON = "ndjson"
)

var columns = []string{
	"id", "created_at", "finished_at", "principal_kind", "principal_id", "principal_name", "transport", "tool", "effect", "status",
	"error_code", "args_hash", "applied_by_kind", "applied_by_id", "applied_by_name", "turn_id",
	"more", "more_first", "more_last",
	"program_id", "program_name", "applied_by_program_id", "applied_by_program_name",
}

var changeColumns = []string{
	"entry", "at", "action", "object_type", "object_id", "object_name", "subject_type", "subject_id", "subject_name", "summary", "fields",
	"actor_kind", "actor_id", "actor_name", "applied_by_kind", "applied_by_id", "applied_by_name", "transport", "operation", "proposal_id",
	"session_id", "address", "seq", "actor_program_id", "actor_program_name", "applied_by_program_id", "applied_by_program_name",
}

// exportChanges writes every change of a filter that p may see, newest first, with one page in memory.
func (l *Log) exportChanges(ctx context.Context, p principal.Principal, params auditdb.ChangesParams, format string, w io.Writer) error {
	if format == NDJSON {
		buffer := bufio.NewWriter(w)
		encoder := json.NewEncoder(buffer)
		if err := l.eachChange(ctx, p, params, func(c ChangeEntry) error { return encoder.Encode(c.redactFor(p)) }); err != nil {
			return err
		}
		return buffer.Flush()
	}
	table := csv.NewWriter(w)
	if err := table.Write(changeColumns); err != nil {
		return err
	}
	if err := l.eachChange(ctx, p, params, func(c ChangeEntry) error { return table.Write(changeCells(c.redactFor(p))) }); err != nil {
		return err
	}
	table.Flush()
	return table.Error()
}

func (l *Log) eachChange(ctx context.Context, p principal.Principal, params auditdb.ChangesParams, do func(ChangeEntry) error) error {
	at := position{at: forever}
	for {
		page, next, err := l.changePage(ctx, p, params, at, 1000)
		if err != nil {
			return err
		}
		for _, c := range page {
			if err := do(c); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		if at, err = parseCursor(next); err != nil {
			return err
		}
	}
}

func changeCells(c ChangeEntry) []string {
	subject, by := Item{}, Actor{}
	if c.Subject != nil {
		subject = *c.Subject
	}
	appliedBy := ""
	if c.AppliedBy != nil {
		by, appliedBy = *c.AppliedBy, c.AppliedBy.ID.String()
	}
	// Fields are texts and numbers.
	fields, _ := json.Marshal(c.Fields)
	row := []string{
		strconv.FormatInt(c.Entry, 10), c.At.UTC().Format(time.RFC3339Nano), string(c.Action), c.Object.Type, c.Object.ID, c.Object.Name,
		subject.Type, subject.ID, subject.Name, c.Summary, string(fields), c.Actor.Kind, c.Actor.ID.String(), c.Actor.Name,
		by.Kind, appliedBy, by.Name, c.Transport, c.Operation, idText(c.ProposalID), idText(c.SessionID), c.Address, "",
	}
	if c.Seq != nil {
		row[len(row)-1] = strconv.FormatInt(*c.Seq, 10)
	}
	row = append(row, programCells(c.Actor, by)...)
	for i, value := range row {
		row[i] = inert(value)
	}
	return row
}

// programCells are the columns for the programs of the requester and the decider.
func programCells(asked, applied Actor) []string {
	var cells []string
	for _, program := range []*Program{asked.Program, applied.Program} {
		if program == nil {
			program = &Program{}
		}
		cells = append(cells, program.ID, program.Name)
	}
	return cells
}

func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// Export writes every call of a filter that the principal may see, newest first, with one page in memory.
func (l *Log) Export(ctx context.Context, p principal.Principal, f Filter, format string, w io.Writer) error {
	params, err := l.params(p, f)
	if err != nil {
		return err
	}
	return l.export(ctx, p, params, format, w)
}

func (l *Log) export(ctx context.Context, p principal.Principal, params auditdb.CallsParams, format string, w io.Writer) error {
	if format == NDJSON {
		buffer := bufio.NewWriter(w)
		encoder := json.NewEncoder(buffer)
		if err := l.each(ctx, p, params, func(c Call) error { return encoder.Encode(c) }); err != nil {
			return err
		}
		return buffer.Flush()
	}
	table := csv.NewWriter(w)
	if err := table.Write(columns); err != nil {
		return err
	}
	if err := l.each(ctx, p, params, func(c Call) error { return table.Write(cells(c)) }); err != nil {
		return err
	}
	table.Flush()
	return table.Error()
}

func cells(c Call) []string {
	row := []string{
		c.ID.String(), c.CreatedAt.UTC().Format(time.RFC3339Nano), "", c.Principal.Kind, c.Principal.ID.String(), c.Principal.Name,
		c.Transport, c.ToolName, c.Effect, c.Status, c.ErrorCode, c.ArgsHash, "", "", "", "",
	}
	if c.FinishedAt != nil {
		row[2] = c.FinishedAt.UTC().Format(time.RFC3339Nano)
	}
	by := Actor{}
	if c.AppliedBy != nil {
		by = *c.AppliedBy
		row[12], row[13], row[14] = by.Kind, by.ID.String(), by.Name
	}
	if c.TurnID != nil {
		row[15] = c.TurnID.String()
	}
	row = append(row, c.More.cells()...)
	row = append(row, programCells(c.Principal, by)...)
	for i, value := range row {
		row[i] = inert(value)
	}
	return row
}

// inert prevents formula injection in spreadsheets: users choose names, and models tool names.
func inert(cell string) string {
	if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
		return "'" + cell
	}
	return cell
}
