package audit

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"time"

	"countersign/principal"
	"countersign/tool/audit/auditdb"
)

// Formats of an export.
const (
	CSV    = "csv"
	NDJSON = "ndjson"
)

var columns = []string{
	"id", "created_at", "finished_at", "principal_kind", "principal_id", "principal_name", "transport", "tool", "effect", "status",
	"error_code", "args_hash", "applied_by_kind", "applied_by_id", "applied_by_name", "turn_id",
}

// Export writes every call of a filter that the principal may see, newest first, a page in memory at a time.
func (l *Log) Export(ctx context.Context, p principal.Principal, f Filter, format string, w io.Writer) error {
	params, err := l.params(p, f)
	if err != nil {
		return err
	}
	return l.export(ctx, params, format, w)
}

func (l *Log) export(ctx context.Context, params auditdb.CallsParams, format string, w io.Writer) error {
	if format == NDJSON {
		buffer := bufio.NewWriter(w)
		encoder := json.NewEncoder(buffer)
		if err := l.each(ctx, params, func(c Call) error { return encoder.Encode(c) }); err != nil {
			return err
		}
		return buffer.Flush()
	}
	table := csv.NewWriter(w)
	if err := table.Write(columns); err != nil {
		return err
	}
	if err := l.each(ctx, params, func(c Call) error { return table.Write(cells(c)) }); err != nil {
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
	if by := c.AppliedBy; by != nil {
		row[12], row[13], row[14] = by.Kind, by.ID.String(), by.Name
	}
	if c.TurnID != nil {
		row[15] = c.TurnID.String()
	}
	for i, value := range row {
		row[i] = inert(value)
	}
	return row
}

// inert keeps spreadsheets from taking text for a formula: names are chosen by people, tool names by models.
func inert(cell string) string {
	if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
		return "'" + cell
	}
	return cell
}
