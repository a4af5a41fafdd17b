package proposal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/proposal/proposaldb"
)

// Mixed is the status of a plan whose proposals were decided differently.
const Mixed Status = "mixed"

// Plan is two or more proposals of one turn that wait, or waited, for a decision, in the order of their calls.
type Plan struct {
	PlanID         uuid.UUID `json:"planId"`
	ConversationID uuid.UUID `json:"conversationId"`
	// Status is proposed while one of them is open, applying while they are carried out, failed when one has failed,
	// otherwise their common status, or mixed.
	Status    Status `json:"status" enum:"proposed,applying,applied,failed,declined,expired,mixed"`
	Proposals []Card `json:"proposals" nullable:"false"`
}

// StatusOf returns the status of a plan with these proposals.
func StatusOf(cards []Card) Status {
	has := func(statuses ...Status) bool {
		return slices.ContainsFunc(cards, func(c Card) bool { return slices.Contains(statuses, c.Status) })
	}
	switch {
	case has(Applying):
		return Applying
	case has(Proposed):
		return Proposed
	case has(Failed, Skipped):
		return Failed
	}
	for _, c := range cards {
		if c.Status != cards[0].Status {
			return Mixed
		}
	}
	return cards[0].Status
}

// Decided returns the common outcome of the proposals that were decided together, such as Applied or Declined; ok is
// false without such a decision, and while they are being carried out.
func (p Plan) Decided() (outcome Status, ok bool) {
	for _, c := range p.Proposals {
		switch {
		case !c.Planned:
		case c.Status == Applying:
			return Applying, false
		default:
			outcome, ok = c.Status, true
		}
	}
	return outcome, ok
}

// Plan returns the plan for p, with tokens for what p may apply. Of another principal's plan it holds the visible
// members; with fewer than two of them it is NotFound.
func (s *Service) Plan(ctx context.Context, p principal.Principal, id uuid.UUID) (Plan, error) {
	r, err := s.reader(ctx, p)
	if err != nil {
		return Plan{}, err
	}
	m, err := r.plan(ctx, id)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{PlanID: id, Status: StatusOf(m.cards), Proposals: make([]Card, len(m.cards))}
	for i, c := range m.cards {
		if plan.Proposals[i], err = r.redact(c, m.rows[i]); err != nil {
			return Plan{}, err
		}
	}
	if c := m.cards[0].ConversationID; c != nil {
		plan.ConversationID = *c
	}
	shown := make([]*Card, len(plan.Proposals))
	for i := range plan.Proposals {
		shown[i] = &plan.Proposals[i]
	}
	if err := r.addNextSteps(ctx, shown, m.rows); err != nil {
		return Plan{}, err
	}
	return plan, r.countEffects(ctx, shown...)
}

// plan loads the part of a plan that the reader sees.
func (r *reader) plan(ctx context.Context, id uuid.UUID) (members, error) {
	rows, err := r.queries(ctx).PlanMembers(ctx, &id)
	if err != nil {
		return members{}, planError("load", err)
	}
	m, err := r.visibleMembers(ctx, memberRows(rows))
	if err == nil && len(m.cards) < 2 {
		err = noPlan()
	}
	return m, err
}

// LoadPlan returns the plan without tokens, for internal use: it checks no permission.
func (s *Service) LoadPlan(ctx context.Context, id uuid.UUID) (Plan, error) {
	rows, err := s.queries(ctx).PlanMembers(ctx, &id)
	if err != nil {
		return Plan{}, fmt.Errorf("load plan: %w", err)
	}
	cards, err := cardsOf(memberRows(rows))
	if err != nil {
		return Plan{}, err
	}
	if len(cards) < 2 {
		return Plan{}, noPlan()
	}
	plan := Plan{PlanID: id, Status: StatusOf(cards), Proposals: cards}
	if c := cards[0].ConversationID; c != nil {
		plan.ConversationID = *c
	}
	return plan, nil
}

// BeginPlan spends the tokens of a plan: it moves its open proposals from proposed to applying, all or none, in the
// name of p. The tokens must be those of exactly the open proposals. A repeat by the same principal with the same key
// changes nothing and is no error. reason is p's reason, "" without one.
func (s *Service) BeginPlan(ctx context.Context, p principal.Principal, id uuid.UUID, tokens []string, key, reason string) error {
	reason, err := Reason("reason", reason)
	if err != nil {
		return err
	}
	return s.guarded(ctx, p, func() error { return s.beginPlanBy(ctx, p, id, tokens, key, reason) })
}

func (s *Service) beginPlanBy(ctx context.Context, p principal.Principal, id uuid.UUID, tokens []string, key, reason string) error {
	crash.Point("plan.before-begin", id)
	var decided []uuid.UUID
	r, err := s.reader(ctx, p)
	if err != nil {
		return err
	}
	if _, err := r.plan(ctx, id); err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		m, err := r.lockPlan(ctx, id)
		if err != nil {
			return err
		}
		spent, err := s.idsOfTokens(m, tokens)
		if err != nil {
			return err
		}
		if m.repeated(spent, p, key) {
			return nil
		}
		if err := m.requireOpen(spent); err != nil {
			return err
		}
		begun := proposaldb.BeginPlanParams{
			DecidedByKind: store.TextOrNull(
				string(p.Kind),
			),
			DecidedByID:      &p.ID,
			DecidedByName:    &p.Name,
			DecidedSessionID: &p.SessionID,
			ApplyKey:         store.TextOrNull(key),
			DecisionReason:   reason,
		}
		for i, c := range m.cards {
			if c.Status != Proposed {
				continue
			}
			row, err := r.decide(c, m.rows[i], reason)
			if err != nil {
				return err
			}
			begun.Ids, begun.TwoPerson, begun.Seals = append(
				begun.Ids,
				row.ID,
			), append(
				begun.TwoPerson,
				row.TwoPerson,
			), append(
				begun.Seals,
				row.Seal,
			)
		}
		decided = begun.Ids
		n, err := s.onRecord(
			ctx,
			p,
			agreed,
			reason,
			decided,
			func(ctx context.Context) (int64, error) { return s.queries(ctx).BeginPlan(ctx, begun) },
		)
		return all(n, decided, err)
	})
	if err != nil || len(decided) == 0 {
		return err
	}
	crash.Point("plan.after-begin", id)
	s.signalPlan(ctx, id, decided)
	crash.Point("plan.after-start", id)
	return nil
}

// DeclinePlan declines every open proposal of a plan that p sees. reason is p's reason, "" without one.
func (s *Service) DeclinePlan(ctx context.Context, p principal.Principal, id uuid.UUID, reason string) error {
	reason, err := Reason("reason", reason)
	if err != nil {
		return err
	}
	crash.Point("plan.before-decline", id)
	var decided []uuid.UUID
	r, err := s.reader(ctx, p)
	if err != nil {
		return err
	}
	if _, err := r.plan(ctx, id); err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		m, err := r.lockPlan(ctx, id)
		if err != nil {
			return err
		}
		for _, c := range m.open() {
			if err := r.mayDecide(c); err != nil {
				return err
			}
			decided = append(decided, c.ProposalID)
		}
		if len(decided) == 0 {
			return m.changed(nil)
		}
		n, err := s.onRecord(ctx, p, declined, reason, decided, func(ctx context.Context) (int64, error) {
			return s.queries(ctx).DeclinePlan(ctx, proposaldb.DeclinePlanParams{
				Ids:              decided,
				DecidedByKind:    store.TextOrNull(string(p.Kind)),
				DecidedByID:      &p.ID,
				DecidedByName:    &p.Name,
				DecidedSessionID: &p.SessionID,
				DecisionReason:   reason,
			})
		})
		return all(n, decided, err)
	})
	if err != nil {
		return err
	}
	crash.Point("plan.after-decline", id)
	s.signalPlan(ctx, id, decided)
	return nil
}

// all checks that an update of locked rows changed every one of them.
func all(n int64, ids []uuid.UUID, err error) error {
	if err != nil {
		return fmt.Errorf("decide plan: %w", err)
	}
	if n != int64(len(ids)) {
		return fmt.Errorf("decide plan: %d of %d proposals changed", n, len(ids))
	}
	return nil
}

// signalPlan starts the plan's workflow, and ends those of its proposals.
func (s *Service) signalPlan(ctx context.Context, id uuid.UUID, decided []uuid.UUID) {
	ctx, cancel := committed(ctx)
	defer cancel()
	if err := s.Driver.DecidedPlan(ctx, id); err != nil {
		s.Log.Warn("Plan workflow did not start", "plan", id, "error", err)
		return // the reconciler does it
	}
	for _, member := range decided {
		if err := s.Driver.Decided(ctx, member, s.TTL); err != nil {
			s.Log.Warn("Proposal workflow was not told of a decision", "proposal", member, "error", err)
			return // it looks at its row when its time is over
		}
	}
}

// RunNext carries out the next proposal of a decided plan, and returns the number of the remaining ones. It is the
// activity of the plan's workflow and may be retried.
func (s *Service) RunNext(ctx context.Context, id uuid.UUID) (left int, err error) {
	rows, err := s.queries(ctx).PlanMembers(ctx, &id)
	if err != nil {
		return 0, fmt.Errorf("load plan: %w", err)
	}
	next := slices.IndexFunc(rows, func(r proposaldb.PlanMembersRow) bool {
		return r.AiProposal.Planned && r.AiProposal.Status == string(Applying)
	})
	if next < 0 {
		return 0, nil
	}
	afterOwn := slices.ContainsFunc(rows[:next], func(r proposaldb.PlanMembersRow) bool { return r.AiProposal.Status == string(Applied) })
	crash.Point("plan.before-next", id)
	card, err := s.runAttempt(ctx, rows[next].AiProposal.ID, afterOwn)
	if err != nil {
		return 0, err
	}
	crash.Point("plan.after-next", id)
	if card.Status == Failed {
		return 0, nil
	}
	return len(rows) - next - 1, nil
}

// EnsurePlan starts the workflow of a decided plan unless it runs or has run.
func (s *Service) EnsurePlan(ctx context.Context, id uuid.UUID) error {
	return s.Driver.EnsurePlan(ctx, id)
}

// PlanDecider returns the principal who decided about the plan, with the session of the decision; zero before that.
func (s *Service) PlanDecider(ctx context.Context, id uuid.UUID) (principal.Principal, error) {
	plan, err := s.LoadPlan(ctx, id)
	if err != nil {
		return principal.Principal{}, err
	}
	for _, c := range plan.Proposals {
		if c.Planned {
			return s.Decider(ctx, c.ProposalID)
		}
	}
	return principal.Principal{}, nil
}

// AwaitPlan waits until no proposal of the plan is being applied or ctx ends.
func (s *Service) AwaitPlan(ctx context.Context, id uuid.UUID) error {
	plan, err := s.LoadPlan(context.WithoutCancel(ctx), id)
	if err != nil {
		return err
	}
	for _, c := range slices.Backward(plan.Proposals) {
		if c.Planned && c.Status == Applying {
			// The last proposal is carried out or skipped last.
			_, err := s.Await(ctx, c.ProposalID)
			return err
		}
	}
	return nil
}

// members are the proposals of a plan that a reader sees.
type members struct {
	rows  []proposaldb.AiProposal
	cards []Card
}

// lockPlan locks a plan, and returns the members visible to the reader, after plan. Members added since then are left
// out.
func (r *reader) lockPlan(ctx context.Context, id uuid.UUID) (members, error) {
	rows, err := r.queries(ctx).LockPlan(ctx, &id)
	if err != nil {
		return members{}, planError("lock", err)
	}
	locked := lockedRows(rows)
	cards, err := cardsOf(locked)
	if err != nil {
		return members{}, err
	}
	m := r.filterVisible(locked, cards)
	if len(m.cards) < 2 {
		return members{}, noPlan()
	}
	growing, err := r.queries(ctx).PlanIsGrowing(ctx, id)
	if err != nil {
		return members{}, fmt.Errorf("look at turn of plan: %w", err)
	}
	if growing {
		return members{}, problem.Errorf(problem.Busy, "The assistant is still adding changes to this plan. Wait until it has finished.")
	}
	return m, nil
}

func (m members) open() []Card {
	var open []Card
	for _, c := range m.cards {
		if c.Status == Proposed {
			open = append(open, c)
		}
	}
	return open
}

// idsOfTokens returns the proposals of the tokens. A token of no proposal of the plan is NotFound.
func (s *Service) idsOfTokens(m members, tokens []string) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, 0, len(tokens))
	for _, token := range tokens {
		id, nonce, ok := ParseToken(token)
		at := slices.IndexFunc(m.rows, func(r proposaldb.AiProposal) bool { return r.ID == id })
		if !ok || at < 0 || !s.Nonces.fits(id, m.rows[at].NonceSalt, nonce) {
			return nil, wrongToken()
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// repeated reports whether p has begun exactly this with the same key before.
func (m members) repeated(spent []uuid.UUID, p principal.Principal, key string) bool {
	for _, row := range m.rows {
		if slices.Contains(spent, row.ID) != (row.Planned && repeats(row, p, key)) {
			return false
		}
	}
	return len(spent) > 0
}

// requireOpen refuses unless exactly these proposals are open.
func (m members) requireOpen(spent []uuid.UUID) error {
	open := m.open()
	if len(open) == len(spent) && len(open) > 0 &&
		!slices.ContainsFunc(open, func(c Card) bool { return !slices.Contains(spent, c.ProposalID) }) {
		return nil
	}
	return m.changed(spent)
}

// Changed is a proposal of a plan that differs from what the person saw.
type Changed struct {
	ProposalID uuid.UUID `json:"proposalId"`
	Summary    string    `json:"summary"`
	Status     Status    `json:"status"`
}

// changed describes how the plan differs from one in which these proposals are open.
func (m members) changed(seen []uuid.UUID) error {
	var list []Changed
	var words []string
	for _, c := range m.cards {
		if (c.Status == Proposed) == slices.Contains(seen, c.ProposalID) && seen != nil {
			continue
		}
		list = append(list, Changed{c.ProposalID, c.Summary, c.Status})
		state := "is " + string(c.Status)
		if c.Status == Proposed {
			state = "is open and was not among those you decided about"
		}
		words = append(words, fmt.Sprintf("%q %s", c.Summary, state))
	}
	return problem.Errorf(
		problem.Conflict,
		"The plan is not as you saw it: %s. Nothing was changed; look at it again.",
		strings.Join(words, "; "),
	).
		With(
			"changed",
			list,
		).With(
		"planStatus",
		StatusOf(m.cards),
	)
}

// decide checks that the reader may apply a member of a plan, and returns the row with the decision.
func (r *reader) decide(c Card, row proposaldb.AiProposal, reason string) (proposaldb.AiProposal, error) {
	if err := r.mayApply(c); err != nil {
		return row, err
	}
	if err := r.verifySeal(row); err != nil {
		return row, err
	}
	return r.Seals.decided(row, r.p, reason, r.policyOf(c).TwoPerson && r.twoPerson(c), true)
}

type member struct {
	proposal proposaldb.AiProposal
	expired  bool
}

func memberRows(rows []proposaldb.PlanMembersRow) []member {
	list := make([]member, len(rows))
	for i, r := range rows {
		list[i] = member{r.AiProposal, r.IsExpired}
	}
	return list
}

func lockedRows(rows []proposaldb.LockPlanRow) []member {
	list := make([]member, len(rows))
	for i, r := range rows {
		list[i] = member{r.AiProposal, r.IsExpired}
	}
	return list
}

func cardsOf(rows []member) ([]Card, error) {
	cards := make([]Card, len(rows))
	for i, r := range rows {
		card, err := cardOf(r.proposal, r.expired)
		if err != nil {
			return nil, err
		}
		cards[i] = card.inPlan(int64(len(rows)), int64(i+1))
	}
	return cards, nil
}

func planError(doing string, err error) error { return fmt.Errorf("%s plan: %w", doing, err) }

func noPlan() error {
	return problem.Errorf(problem.NotFound, "There is no such plan, or it is not yours to see.")
}
