package proposal

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal/proposaldb"
)

// ManageRule lets its holder see and decide other people's proposals, if they hold the rules of the tool too.
const ManageRule = "ai.proposal.manage"

// Options are the dependencies and limits of a Service.
type Options struct {
	DB         *store.DB
	Log        *slog.Logger
	Registry   *tool.Registry
	Principals Principals
	Callers    Callers
	Driver     Driver
	// Policies are the configured policies of tools; nil when there are none.
	Policies disposition.Policies
	Nonces   Nonces
	Seals    Seals
	Effects  Effects
	// TTL is the time for a decision by the proposer, OthersTTL the time for another person, who has to find the
	// proposal first; TTL when zero.
	TTL       time.Duration
	OthersTTL time.Duration
	// MostWaiting bounds the open proposals of one principal; no bound when zero.
	MostWaiting int
}

// Service stores proposals and decisions, and applies them.
type Service struct {
	Options
	watch *Watch
}

// NewService makes a service; watch must be subscribed to Channel.
func NewService(o Options, watch *Watch) *Service { return &Service{Options: o, watch: watch} }

// Subscriptions are those of the watch.
func (s *Service) Subscriptions() store.Subscriptions { return s.watch.Subscriptions() }

// New is a proposal to store.
type New struct {
	// ID is the id of the reserved tool call.
	ID         uuid.UUID
	Principal  principal.Principal
	Tool       tool.Tool
	Proposed   tool.Proposed
	WhyConfirm string
	// Automatic reports that the caller applies it at once, in auto mode.
	Automatic bool
	// Outside is the outside content that the conversation holds now.
	Outside []disposition.Taint
	// Conversation, Turn and CallRef are set for proposals of a chat turn; CallRef is the provider's tool call id.
	Conversation *uuid.UUID
	Turn         *uuid.UUID
	CallRef      string
	// TwoPerson requires a second person, whatever the policy of the tool is.
	TwoPerson bool
	// Reason is the proposer's reason; "" for none.
	Reason string
	// Asked is the person's message of the turn, Answered the assistant's text in it so far; "" outside of a chat.
	Asked, Answered string
}

// Create stores a proposal and starts its workflow. A repeated call with the same id returns the first one.
func (s *Service) Create(ctx context.Context, n New) (Card, error) {
	card, _, err := s.CreateOnce(ctx, n)
	return card, err
}

// CreateOnce is Create, and reports whether this call stored it.
func (s *Service) CreateOnce(ctx context.Context, n New) (card Card, made bool, err error) {
	// A read-only program creates no work for deciders.
	if n.Principal.ReadOnly() {
		return Card{}, false, tool.ReadOnly(n.Tool.Name)
	}
	stored, ttl, err := s.toStore(ctx, n)
	if err != nil {
		return Card{}, false, err
	}
	crash.Point("proposal.before-store", n.ID)
	if made, err = s.store(ctx, n.Principal, stored); err != nil {
		return Card{}, false, err
	}
	// The row is committed, even when the caller has given up meanwhile.
	ctx, cancel := committed(ctx)
	defer cancel()
	crash.Point("proposal.after-store", n.ID)
	card, err = s.load(ctx, n.ID)
	if !made && problem.Is(err, problem.NotFound) {
		return Card{}, false, problem.Errorf(problem.Conflict,
			"This call had ended before its change was proposed, so nothing was proposed. Make it again if the "+
				"change is still wanted.")
	}
	if err != nil {
		return Card{}, false, err
	}
	// A workflow started before the commit would find no row.
	s.DB.AfterCommit(ctx, func() {
		ctx, cancel := committed(ctx)
		defer cancel()
		if err := s.Driver.StartProposal(ctx, card, ttl); err != nil {
			// The row is committed; the reconciler starts the workflow later.
			s.Log.Warn("Proposal workflow did not start", "proposal", n.ID, "error", err)
		}
		crash.Point("proposal.after-start", n.ID)
	})
	return card, made, nil
}

// afterCommit bounds the work after a commit, which continues when the caller has given up.
const afterCommit = 30 * time.Second

// committed returns a context for the work after a commit.
func committed(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), afterCommit)
}

// toStore makes the row of a new proposal, with its TTL.
func (s *Service) toStore(ctx context.Context, n New) (stored proposaldb.CreateProposalParams, ttl time.Duration, err error) {
	salt, err := newSalt()
	if err != nil {
		return stored, 0, err
	}
	var diff json.RawMessage
	if len(n.Proposed.Diff) > 0 {
		if diff, err = json.Marshal(n.Proposed.Diff); err != nil {
			return stored, 0, fmt.Errorf("encode diff: %w", err)
		}
	}
	var labels json.RawMessage
	if len(n.Proposed.Labels) > 0 {
		if labels, err = json.Marshal(n.Proposed.Labels); err != nil {
			return stored, 0, fmt.Errorf("encode labels: %w", err)
		}
	}
	var outside json.RawMessage
	if len(n.Outside) > 0 {
		if outside, err = json.Marshal(n.Outside[:min(len(n.Outside), MaxOutside)]); err != nil {
			return stored, 0, fmt.Errorf("encode outside: %w", err)
		}
	}
	effect := n.Tool.Effect
	// A read is proposed where it could exfiltrate data, and is decided like a change.
	if n.Proposed.Effect != "" && n.Proposed.Effect != tool.Read {
		effect = n.Proposed.Effect
	}
	policy, err := s.policy(ctx, n.Tool, n.Proposed.Payload)
	if err != nil {
		return stored, 0, err
	}
	if !policy.Enabled {
		return stored, 0, errDisabled(n.Tool.Name)
	}
	if why := disposition.Undecidable(n.Principal, n.Tool.Access.Personal, policy); why != "" {
		return stored, 0, problem.Errorf(problem.Forbidden, "%s", why)
	}
	two := (n.TwoPerson || policy.TwoPerson) && !n.Tool.Access.Personal
	// A policy may have been set since the caller checked.
	n.Automatic = n.Automatic && !two && !policy.AlwaysConfirm
	ttl = s.ttl(two || policy.AlwaysConfirm && n.Principal.Kind != principal.User)
	asked, answered := n.excerpts(two)
	stored = proposaldb.CreateProposalParams{
		ID:             n.ID,
		ConversationID: n.Conversation,
		TurnID:         n.Turn,
		ToolCallRef:    store.TextOrNull(n.CallRef),
		PrincipalKind:  string(n.Principal.Kind),
		PrincipalID:    n.Principal.ID,
		PrincipalName:  n.Principal.Name,
		ToolName:       n.Tool.Name,
		Effect:         string(effect),
		WhyEffect:      store.TextOrNull(n.Proposed.WhyEffect),
		Outside:        outside,
		Summary:        n.Proposed.Summary,
		Payload:        n.Proposed.Payload,
		Diff:           diff,
		Labels:         labels,
		Revision:       n.Proposed.Revision,
		WhyConfirm:     store.TextOrNull(n.WhyConfirm),
		Automatic:      n.Automatic,
		TwoPerson:      two,
		Effects:        orEmpty(n.Proposed.Effects),
		Reason:         n.Reason,
		IssuerID:       n.Principal.IssuerID,
		Asked:          asked,
		Answered:       answered,
		NonceSalt:      salt,
		TtlSeconds:     ttl.Seconds(),
		Transport:      audit.Way(ctx),
	}
	if stored.Before, err = s.Seals.sealRecord(n.ID, n.Proposed.Before); err != nil {
		return stored, 0, err
	}
	if program := n.Principal.Client; program != nil {
		stored.ProgramID = &program.ID
	}
	if run := n.Principal.Run; run != nil {
		stored.RunID, stored.AuthorID = &run.ID, run.AuthorID
	}
	if stored.Seal, err = s.Seals.of(rowOf(stored)); err != nil {
		return stored, 0, err
	}
	return stored, ttl, nil
}

// store inserts a proposal, unless its principal has MostWaiting open ones: one principal must not crowd out others.
// made is false when it existed before.
func (s *Service) store(ctx context.Context, p principal.Principal, stored proposaldb.CreateProposalParams) (made bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		if s.MostWaiting > 0 && !stored.Automatic {
			waiting, err := proposaldb.New(s.DB.Locked(ctx, "proposals/"+p.Key())).OtherWaitingProposals(ctx, proposaldb.OtherWaitingProposalsParams{
				PrincipalKind: stored.PrincipalKind, PrincipalID: stored.PrincipalID, ID: stored.ID,
			})
			if err != nil {
				return fmt.Errorf("count proposals that wait: %w", err)
			}
			if waiting >= int64(s.MostWaiting) {
				return problem.Errorf(
					problem.Throttled,
					"Of your proposals %d wait for a decision, and no more may at once. Apply or decline some, have others decide "+
						"about them, or wait until they expire; an administrator can raise COUNTERSIGN_MAX_WAITING_PROPOSALS.",
					waiting,
				)
			}
		}
		n, err := s.queries(ctx).CreateProposal(ctx, stored)
		if err != nil {
			return fmt.Errorf("store proposal: %w", err)
		}
		made = n > 0
		return nil
	})
	return made, err
}

// ttl returns the time for a decision; others means that another person than its proposer decides.
func (s *Service) ttl(others bool) time.Duration {
	if others {
		return max(s.TTL, s.OthersTTL)
	}
	return s.TTL
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// rowOf converts the insert parameters to the sealed part of the row.
func rowOf(p proposaldb.CreateProposalParams) proposaldb.AiProposal {
	return proposaldb.AiProposal{
		ID:             p.ID,
		ConversationID: p.ConversationID,
		TurnID:         p.TurnID,
		PrincipalKind:  p.PrincipalKind,
		PrincipalID:    p.PrincipalID,
		PrincipalName:  p.PrincipalName,
		ToolName:       p.ToolName,
		Effect:         p.Effect,
		Summary:        p.Summary,
		Payload:        p.Payload,
		Diff:           p.Diff,
		Labels:         p.Labels,
		Revision:       p.Revision,
		WhyConfirm:     p.WhyConfirm,
		Automatic:      p.Automatic,
		TwoPerson:      p.TwoPerson,
		Effects:        p.Effects,
		Reason:         p.Reason,
		Asked:          p.Asked,
		Answered:       p.Answered,
		IssuerID:       p.IssuerID,
		WhyEffect:      p.WhyEffect,
		Outside:        p.Outside,
		Before:         p.Before,
		RunID:          p.RunID,
		AuthorID:       p.AuthorID,
	}
}

// Get returns the card for p, with its token while p may apply it. Proposals that p may not see are NotFound.
func (s *Service) Get(ctx context.Context, p principal.Principal, id uuid.UUID) (Card, error) {
	r, err := s.reader(ctx, p)
	if err != nil {
		return Card{}, err
	}
	card, err := r.get(ctx, id)
	if err != nil {
		return Card{}, err
	}
	err = r.countEffects(ctx, &card)
	return card, err
}

// CurrentCards returns the current state of p's own proposals among these, by id: without tokens, and without what only the
// decider may read.
func (s *Service) CurrentCards(ctx context.Context, p principal.Principal, ids []uuid.UUID) (map[uuid.UUID]Card, error) {
	own := proposaldb.ProposalsOfParams{Ids: ids, PrincipalKind: string(p.Kind), PrincipalID: p.ID}
	if p.Run != nil {
		own.RunID = &p.Run.ID
	}
	rows, err := s.queries(ctx).ProposalsOf(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("load proposals: %w", err)
	}
	cards := make(map[uuid.UUID]Card, len(rows))
	for _, row := range rows {
		card, err := cardOf(row.AiProposal, row.IsExpired)
		if err != nil {
			return nil, err
		}
		cards[card.ProposalID] = card.SeenByProposer()
	}
	return cards, nil
}

// Sees reports whether Get finds the proposal for p.
func (s *Service) Sees(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error) {
	r, err := s.reader(ctx, p)
	if err != nil {
		return false, err
	}
	_, err = r.get(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// card loads a proposal with what decides whether the reader sees it.
func (r *reader) card(ctx context.Context, id uuid.UUID) (Card, proposaldb.ProposalByIDRow, error) {
	row, err := r.row(ctx, id)
	if err != nil {
		return Card{}, row, err
	}
	card, err := cardOf(row.AiProposal, row.IsExpired)
	if err != nil {
		return Card{}, row, err
	}
	return card, row, r.loadVisibility(ctx, card)
}

func (r *reader) get(ctx context.Context, id uuid.UUID) (Card, error) {
	card, row, err := r.card(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if err := r.rehearse(ctx, card, row.AiProposal); err != nil {
		return Card{}, err
	}
	shown, err := r.redact(card, row.AiProposal)
	if err != nil {
		return Card{}, err
	}
	if err := r.addNextSteps(ctx, []*Card{&shown}, []proposaldb.AiProposal{row.AiProposal}); err != nil {
		return Card{}, err
	}
	return r.position(ctx, shown, row.Members, row.Position)
}

// Decline declines a proposal and reports whether this call did it. reason is p's reason, "" without one.
func (s *Service) Decline(ctx context.Context, p principal.Principal, id uuid.UUID, reason string) (Card, error) {
	reason, err := Reason("reason", reason)
	if err != nil {
		return Card{}, err
	}
	r, err := s.reader(ctx, p)
	if err != nil {
		return Card{}, err
	}
	card, err := r.get(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if err := r.mayDecide(card); err != nil {
		return Card{}, err
	}
	crash.Point("decline.before-row", id)
	n, err := s.onRecord(ctx, p, declined, reason, []uuid.UUID{id}, func(ctx context.Context) (int64, error) {
		return s.queries(ctx).Decline(ctx, proposaldb.DeclineParams{
			ID: id, DecidedByKind: store.TextOrNull(string(p.Kind)), DecidedByID: &p.ID, DecidedByName: &p.Name, DecidedSessionID: &p.SessionID,
			DecisionReason: reason,
		})
	})
	if err != nil {
		return Card{}, fmt.Errorf("decline proposal: %w", err)
	}
	if n == 0 {
		return Card{}, s.conflictOf(ctx, id)
	}
	ctx, cancel := committed(ctx)
	defer cancel()
	crash.Point("decline.after-row", id)
	s.signalWorkflow(ctx, id)
	crash.Point("decline.after-signal", id)
	return r.get(ctx, id)
}

// signalWorkflow signals a stored decision and reports whether that succeeded; if not, the reconciler repeats it.
func (s *Service) signalWorkflow(ctx context.Context, id uuid.UUID) (signalled bool) {
	ctx, cancel := committed(ctx)
	defer cancel()
	err := s.Drive(ctx, id)
	if err != nil {
		s.Log.Warn("Proposal workflow was not told of a decision", "proposal", id, "error", err)
	}
	return err == nil
}

// Expire marks a proposal as expired after its TTL and reports whether it still waits for a decision.
func (s *Service) Expire(ctx context.Context, id uuid.UUID) (Card, error) {
	crash.Point("settle.before-row", id)
	if _, err := s.queries(ctx).Expire(ctx, id); err != nil {
		return Card{}, fmt.Errorf("expire proposal: %w", err)
	}
	crash.Point("settle.after-row", id)
	return s.load(ctx, id)
}

// Load returns the card without a token, for internal use: it checks no permission.
func (s *Service) Load(ctx context.Context, id uuid.UUID) (Card, error) { return s.load(ctx, id) }

// Decider returns the principal who decided, with the session of the decision; zero before that.
func (s *Service) Decider(ctx context.Context, id uuid.UUID) (principal.Principal, error) {
	row, err := s.row(ctx, id)
	if p := row.AiProposal; err == nil && p.DecidedByID != nil {
		return principal.Principal{Kind: principal.Kind(*p.DecidedByKind), ID: *p.DecidedByID, SessionID: *p.DecidedSessionID}, nil
	}
	return principal.Principal{}, err
}

// DuePage bounds the proposals that Due returns.
const DuePage = 200

// Due is a proposal whose workflow may need a start or a signal again.
type Due struct {
	ID uuid.UUID
	// Plan is the plan whose workflow has to continue; zero for the proposal's own.
	Plan uuid.UUID
	// At is the time since when it is due.
	At time.Time
}

// Due lists a page of the proposals that have been due for longer than olderThan, for the reconciler, oldest first:
// those being applied, those expired, and decided ones without a follow-up turn. It begins after the last one of the
// page before, or at the start after the zero Due.
func (s *Service) Due(ctx context.Context, olderThan time.Duration, after Due) ([]Due, error) {
	rows, err := s.queries(ctx).DueProposals(ctx, proposaldb.DueProposalsParams{
		OlderThan: store.Interval(olderThan), AfterAt: after.At, AfterID: after.ID, MaxRows: DuePage,
	})
	if err != nil {
		return nil, fmt.Errorf("list proposals that are due: %w", err)
	}
	due := make([]Due, len(rows))
	for i, row := range rows {
		due[i] = Due{ID: row.ID, Plan: row.PlanID, At: row.DueAt}
	}
	return due, nil
}

// Drive ensures that the workflow of a proposal, or of its plan, runs and has received the decision.
func (s *Service) Drive(ctx context.Context, id uuid.UUID) error {
	card, err := s.load(ctx, id)
	if err != nil {
		return err
	}
	if card.Planned {
		return s.Driver.DecidedPlan(ctx, *card.TurnID)
	}
	return s.Driver.Decided(ctx, id, card.ExpiresAt.Sub(card.CreatedAt))
}

func (s *Service) queries(ctx context.Context) *proposaldb.Queries {
	return proposaldb.New(s.DB.Conn(ctx))
}

func (s *Service) row(ctx context.Context, id uuid.UUID) (proposaldb.ProposalByIDRow, error) {
	row, err := s.queries(ctx).ProposalByID(ctx, id)
	if store.NoRows(err) {
		return row, notFound()
	}
	if err != nil {
		return row, fmt.Errorf("load proposal: %w", err)
	}
	return row, nil
}

func (s *Service) load(ctx context.Context, id uuid.UUID) (Card, error) {
	row, err := s.row(ctx, id)
	if err != nil {
		return Card{}, err
	}
	card, err := cardOf(row.AiProposal, row.IsExpired)
	return card.inPlan(row.Members, row.Position), err
}

// conflictOf explains why a proposal cannot be decided (any more).
func (s *Service) conflictOf(ctx context.Context, id uuid.UUID) error {
	card, err := s.load(ctx, id)
	if err != nil {
		return err
	}
	if card.Status == Expired {
		return problem.Errorf(
			problem.Expired,
			"This proposal has expired. Ask for the change again to get a new one.",
		).With(
			"status",
			string(Expired),
		)
	}
	return problem.Errorf(problem.Conflict, "This proposal is %s already; a proposal is decided once.", card.Status).
		With("proposalStatus", card.Status)
}

func notFound() error {
	return problem.Errorf(problem.NotFound, "There is no such proposal, or it is not yours to see.")
}
