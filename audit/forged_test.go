package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
)

// How far the verification in the background has come is no evidence, and neither is what it has found: who writes to
// the table can make it look away, by either. Whoever verifies by the command or removes relies on none of
// it.
func TestWhatTheBackgroundBelievesHidesNothingFromOthers(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"how far it has come":      `UPDATE ai_audit_state SET whole_at = NULL, pass_seq = 12, pass_linked = true, pass_record = 1000000`,
		"when it was done":         `UPDATE ai_audit_state SET whole_at = now(), pass_seq = 0, pass_linked = false, problem = NULL, broken_seq = NULL`,
		"up to where it was sound": `UPDATE ai_audit_state SET whole_at = now(), (verified_seq, verified_hash) = (SELECT seq, hash FROM ai_audit_links ORDER BY seq DESC LIMIT 1)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := old(t)
			a := w.removable(t, 31)
			exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 3`)
			exec(t, w.owner, sql)
			require.Empty(t, w.background(t), "that is what it is about")
			report := w.verify(t, audit.Head{})
			require.NotNil(t, report.Break)
			require.Contains(t, report.Break.What, "does not fit entry 3")
			_, err := w.keeper().Remove(t.Context(), audit.Removal{To: a})
			require.ErrorContains(t, err, "does not fit entry 3")
			// It is found in the background, too, as soon as nobody writes there any more.
			exec(t, w.owner, `UPDATE ai_audit_state SET whole_at = $1`, time.Now().AddDate(0, 0, -2))
			require.Contains(t, w.background(t), "does not fit entry 3")
		})
	}
}
