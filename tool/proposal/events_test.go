package proposal_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

func TestProposalsAndTheirCallsAreEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.people.add("Ada", rule)
	types, err := event.NewRegistry(append(proposal.EventTypes(rule, event.SeeAll), new(audit.Log).EventTypes()...)...)
	require.NoError(t, err)
	log := event.NewLog(w.db, types, event.NewNotifier())
	// of returns the events about a subject, the oldest first.
	of := func(kind string, id uuid.UUID) (list []event.Event) {
		page, err := log.List(
			t.Context(),
			principal.Principal{Rules: []string{principal.Admin}},
			event.Query{Subjects: []string{kind + ":" + id.String()}},
		)
		require.NoError(t, err)
		for _, e := range page.Events {
			list = append([]event.Event{e}, list...)
		}
		return list
	}
	applied, declined, expired := w.propose(t, ada, "applied"), w.propose(t, ada, "declined"), w.propose(t, ada, "expired")
	automatic := w.propose(t, ada, "automatic", func(n *proposal.New) { n.Automatic = true })
	require.Empty(t, of(proposal.SubjectProposal, automatic.ProposalID), "it waits for nobody")
	require.Empty(t, of("toolcall", applied.ProposalID), "the call has not ended")
	w.begin(t, ada, applied.ProposalID)
	_, err = w.Decline(t.Context(), ada, declined.ProposalID, "")
	require.NoError(t, err)
	w.expire(t, expired.ProposalID)
	_, err = w.Expire(t.Context(), expired.ProposalID)
	require.NoError(t, err)

	person := string(ada.Kind) + ":" + ada.ID.String()
	about := func(id uuid.UUID) proposal.ExpiredPayload {
		return proposal.ExpiredPayload{ProposalID: id, ToolName: "shelf.putBox", Effect: "mutate", Proposer: person}
	}
	for id, accepted := range map[uuid.UUID]bool{applied.ProposalID: true, declined.ProposalID: false} {
		events := of(proposal.SubjectProposal, id)
		require.Len(t, events, 2)
		require.Equal(t, proposal.EventWaiting, events[0].Type)
		waiting, err := event.Decode[proposal.WaitingPayload](events[0])
		require.NoError(t, err)
		require.False(t, waiting.ExpiresAt.IsZero())
		require.Equal(t, about(id), waiting.ExpiredPayload)
		decided, err := event.Decode[proposal.DecidedPayload](events[1])
		require.NoError(t, err)
		require.Equal(t, proposal.DecidedPayload{ExpiredPayload: about(id), Accepted: accepted, Decider: person}, decided)
	}
	events := of(proposal.SubjectProposal, expired.ProposalID)
	require.Equal(t, proposal.EventExpired, events[1].Type)
	gone, err := event.Decode[proposal.ExpiredPayload](events[1])
	require.NoError(t, err)
	require.Equal(t, about(expired.ProposalID), gone)

	calls := of("toolcall", applied.ProposalID)
	require.Len(t, calls, 1)
	called, err := event.Decode[audit.CalledPayload](calls[0])
	require.NoError(t, err)
	require.Equal(t, audit.CalledPayload{
		CallID: applied.ProposalID, ToolName: "shelf.putBox", Effect: "mutate", Transport: "api", Caller: person,
	}, called)
	require.Equal(t, &event.Cause{Proposal: applied.ProposalID}, calls[0].Cause)
	require.Empty(t, of("toolcall", declined.ProposalID))

	// An event is gone with its change.
	failed := problem.Errorf(problem.Conflict, "It is taken back.")
	other := w.propose(t, ada, "other")
	require.ErrorIs(t, w.db.InTx(t.Context(), func(ctx context.Context) error {
		if _, err := w.db.Conn(ctx).Exec(ctx, `UPDATE ai_proposals SET status = 'applying' WHERE id = $1`, other.ProposalID); err != nil {
			return err
		}
		return failed
	}), failed)
	require.Len(t, of(proposal.SubjectProposal, other.ProposalID), 1)
}
