package apptest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// World is a snapshot of the database: the rows of each table as JSON, without what rises by itself with every change
// around a record.
type World map[string][]string

// records are the tables of what goes on anyway: calls, sessions, events, chores. Every other table must not change
// unless somebody who may do so has decided it.
var records = regexp.MustCompile(`^(ai_turns|turn_steps|turn_events|ai_tool_calls|ai_spend|ai_audit_\w+|` +
	`event_cursors|idempotency_keys|leases|chore_runs|sweeps|turn_followers|feed_events|feed_state|ai_spend_hours|ai_spend_buckets|ai_spend_late|sessions|known_devices|throttled_failures|held_places|goose_db_version)$`)

// scheduled are the tables of what happens when health checks run by themselves, and of the events that tell of it.
var scheduled = regexp.MustCompile(
	`^(events|event_(consumers|deferrals)|check_(results|reports|blocks|hours|days|days_done|seals|boards|states|` +
		`system_states|transitions|shards|workers|gaps)(_\d+)?)$`,
)

// Scheduled reports whether a table changes by itself while health checks run.
func Scheduled(table string) bool { return scheduled.MatchString(table) }

// decided is what of a proposal must not change by itself. That its time is over may be noticed at any moment.
const decided = `jsonb_build_object('id', id, 'status', CASE status WHEN 'expired' THEN 'proposed' ELSE status END, 'decided_by_id', decided_by_id, 'payload', payload)::text`

// World reads the database as it is now, proposals with what was decided about them. It leaves out the tables and the
// columns ("table.column") of leaveOut.
func (p *Product) World(t testing.TB, leaveOut ...string) World {
	t.Helper()
	w := World{}
	for _, table := range p.Column(t, `SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`) {
		switch {
		case records.MatchString(table) || Scheduled(table) || slices.Contains(leaveOut, table):
		case table == "ai_proposals":
			w[table] = p.Column(t, `SELECT `+decided+` FROM ai_proposals ORDER BY 1`)
		default:
			columns := []string{"revision", "updated_at", "last_sign_in_at"}
			for _, left := range leaveOut {
				if column, ok := strings.CutPrefix(left, table+"."); ok {
					columns = append(columns, column)
				}
			}
			w[table] = p.Column(t, `SELECT (to_jsonb(t) - $1::text[])::text FROM `+table+` t ORDER BY 1`, columns)
		}
	}
	return w
}

// Minus are the rows of w that other does not have, each behind the name of its table.
func (w World) Minus(other World) (rows []string) {
	for table, all := range w {
		had := map[string]bool{}
		for _, row := range other[table] {
			had[row] = true
		}
		for _, row := range all {
			if !had[row] {
				rows = append(rows, table+" "+row)
			}
		}
	}
	slices.Sort(rows)
	return rows
}
