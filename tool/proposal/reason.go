package proposal

import (
	"context"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

// MaxReason bounds a reason, in characters.
const MaxReason = 500

// Reason cleans the reason of a proposal or decision for storage, without pasted credentials. path names the field in
// the problem.
func Reason(path, said string) (string, error) {
	var issues problem.Issues
	reason := text.Lines(&issues, path, scrub.Text(said), MaxReason)
	return reason, issues.Err()
}

// auditType is the type of proposals in the audit log.
const auditType = "ai.proposal"

var auditedProposal = audit.Declare(audit.Type{ID: auditType, Label: "Proposal", Plural: "Proposals"})

// Audited are the proposals. A proposal shows its own history.
func Audited() []audit.Kind { return []audit.Kind{{Type: auditedProposal}} }

// decision is the verb of a decision in the audit log.
type decision string

const (
	agreed   decision = "Agreed to"
	declined decision = "Declined"
)

// withReason is the audit summary of a decision with a reason. The reason itself is stored with the proposal, under its
// seal.
func (d decision) withReason() string { return string(d) + " a proposed change and said why" }

// onRecord audits decisions with a reason, and their decider. Other decisions are covered by the entry of the call.
func (s *Service) onRecord(
	ctx context.Context,
	p principal.Principal,
	d decision,
	reason string,
	ids []uuid.UUID,
	decide func(ctx context.Context) (int64, error),
) (n int64, err error) {
	if reason == "" && p.Client == nil {
		return decide(ctx)
	}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		if n, err = decide(ctx); err != nil || n == 0 {
			return err
		}
		if d == agreed {
			if err := audit.NoteDecision(ctx, s.DB, p, ids); err != nil {
				return err
			}
		}
		if reason == "" {
			return nil
		}
		for _, id := range ids {
			event := audit.Event{Action: audit.Decided, Object: audit.Object(auditType, id, ""), Summary: d.withReason(), Actor: p}
			event.Fields.Mention("decisionReason", true)
			if err := audit.Record(ctx, s.DB, event); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
