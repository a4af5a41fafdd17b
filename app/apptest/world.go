package apptest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// World is a snapshot of the database: the rows of each table as JSON, without counters that rise with changes to
// neighbouring records.
type World map[string][]string

// bookkeeping are tables that change without a change by anybody: who holds a lease, what the chain has linked, which attempts
// are counted, what is going on, and on which devices people have signed in.
var bookkeeping = regexp.MustCompile(`^(ai_audit_(links|state)|ai_spend(_hours|_buckets)?|event_(cursors|lanes|retries)|` +
	`idempotency_keys|leases|chore_runs|sweeps|turn_followers|feed_(events|state)|known_devices|throttled_failures|held_places|` +
	`goose_db_version)$`)

// Bookkeeping reports whether a table changes without a change by anybody.
func Bookkeeping(table string) bool { return bookkeeping.MatchString(table) }

// records are further tables that change all the time: calls and sessions. All other tables may change only by an authorized
// decision.
var records = regexp.MustCompile(`^(ai_turns|turn_steps|turn_events|ai_tool_calls|ai_audit_\w+|ai_spend_late|sessions)$`)

// scheduled are tables that change with running health checks, with what consumers of events write, and with runs of automations.
var scheduled = regexp.MustCompile(
	`^(events|event_(consumers|deferrals|dispatches)|notifications|notify_deliveries|oncall_escalations|runs|` +
		`automation_(runs|steps|waits|schedules|artifacts)|check_(results|reports|blocks|hours|days|days_done|seals|boards|states|` +
		`system_states|transitions|shards|location_shards|claims|workers|gaps)(_\d+)?)$`,
)

// Scheduled reports whether a table changes while health checks run.
func Scheduled(table string) bool { return scheduled.MatchString(table) }

// decided are a proposal's columns that must not change by themselves. Expiry may be recorded at any moment.
const decided = `jsonb_build_object('id', id, 'status', CASE status WHEN 'expired' THEN 'proposed' ELSE status END, 'decided_by_id', decided_by_id, 'payload', payload)::text`

// World reads the current database. It leaves out tables and columns ("table.column") of leaveOut.
func (p *Product) World(t testing.TB, leaveOut ...string) World {
	t.Helper()
	w := World{}
	for _, table := range p.Column(t, `SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`) {
		switch {
		case Bookkeeping(table) || records.MatchString(table) || Scheduled(table) || slices.Contains(leaveOut, table):
		case table == "notify_channels":
			// Consumers give each account its channel.
			w[table] = p.Column(t, `SELECT to_jsonb(c)::text FROM notify_channels c WHERE NOT is_account OR revision > 1 ORDER BY 1`)
		case table == "ai_proposals":
			w[table] = p.Column(t, `SELECT `+decided+` FROM ai_proposals ORDER BY 1`)
		default:
			// Figures are what a connection measures at each call of a model, and told is what the workflow of a maintenance knows.
			columns := []string{"revision", "updated_at", "last_sign_in_at", "figures"}
			if table == "maintenances" {
				columns = append(columns, "told")
			}
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

// Minus returns the rows of w that other does not have, each prefixed with its table.
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
