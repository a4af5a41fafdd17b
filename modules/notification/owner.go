package notification

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/notification/notificationdb"
)

// owner is whose channels a request is about.
type owner struct {
	kind string
	id   uuid.UUID
}

// ownerOf resolves the owner of a request, and refuses a caller who may not do that. People have their own channels;
// those of teams and policies need a rule.
func (s *service) ownerOf(ctx context.Context, kind string, id *uuid.UUID, rule string) (owner, error) {
	caller := principal.FromContext(ctx)
	switch kind {
	case "", ownerPerson:
		if caller.Kind != principal.User {
			return owner{}, problem.Errorf(problem.Forbidden, "Only people have notification channels of their own. Name a team or a policy.")
		}
		if id != nil && *id != caller.ID {
			return owner{}, problem.Errorf(problem.Forbidden, "People set up their notification channels themselves.")
		}
		return owner{ownerPerson, caller.ID}, nil
	case ownerTeam, ownerPolicy:
	default:
		return owner{}, invalid("ownerKind", "must be person, team or policy")
	}
	if !caller.Has(rule) && (rule != ChannelRead || !caller.Has(ChannelManage)) {
		return owner{}, problem.MissingRule("use channels of teams and policies", rule)
	}
	if id == nil {
		return owner{}, invalid("ownerId", "must name the "+kind)
	}
	o := owner{kind, *id}
	team, err := s.teamOf(ctx, o)
	switch {
	case err != nil || rule != ChannelManage:
		return o, err
	case team == nil:
		return o, problem.Errorf(problem.Conflict,
			"The escalation policy belongs to no team. Its channels are sent what its team may see: give it a team first.")
	}
	return o, permit(caller, team)
}

// teamOf returns the team that owns a team's or a policy's channels, nil for a policy without a team. It returns an error for
// an owner that does not exist or that the principal of ctx may not see.
func (s *service) teamOf(ctx context.Context, o owner) (*uuid.UUID, error) {
	if o.kind == ownerPolicy {
		return s.policies.PolicyTeam(ctx, o.id)
	}
	names, err := s.people.TeamNames(ctx, []uuid.UUID{o.id})
	if err != nil {
		return nil, fmt.Errorf("look teams up: %w", err)
	}
	if _, ok := names[o.id]; !ok {
		return nil, invalid("ownerId", "names no team")
	}
	return &o.id, nil
}

// permit refuses a caller whom a channel would show what only the team may see: its messages are read with the team's grants.
func permit(caller principal.Principal, team *uuid.UUID) error {
	if !caller.Has(principal.Admin) && (team == nil || !slices.Contains(caller.TeamIDs, *team)) {
		return problem.Errorf(problem.Forbidden,
			"Channels are sent what their team may see. Only its members and administrators may create, change or test them.")
	}
	return nil
}

func (s *service) visible(
	ctx context.Context, id uuid.UUID, row notificationdb.NotifyChannel, err error, rule string,
) (notificationdb.NotifyChannel, error) {
	if err != nil && !store.NoRows(err) {
		return row, fmt.Errorf("load channel: %w", err)
	}
	caller := principal.FromContext(ctx)
	own := row.OwnerKind == ownerPerson && caller.Kind == principal.User && row.OwnerID == caller.ID
	shared := row.OwnerKind != ownerPerson && (caller.Has(ChannelRead) || caller.Has(ChannelManage))
	if err != nil || !own && !shared {
		return notificationdb.NotifyChannel{}, problem.Errorf(problem.NotFound, "There is no notification channel with the id %s.", id)
	}
	if own || rule != ChannelManage {
		return row, nil
	}
	if !caller.Has(ChannelManage) {
		return notificationdb.NotifyChannel{}, problem.MissingRule("change channels of teams and policies", ChannelManage)
	}
	team, err := s.teamOf(ctx, owner{row.OwnerKind, row.OwnerID})
	if err == nil {
		err = permit(caller, team)
	}
	if err != nil {
		return notificationdb.NotifyChannel{}, err
	}
	return row, nil
}

// reader is as whom the facts of a message are read; zero for one that nobody gets.
func (s *service) reader(
	ctx context.Context, b batch, row notificationdb.ChannelsOfRow, subject notice.Subject,
) (principal.Principal, error) {
	if row.OwnerKind == ownerPerson {
		return b.people[row.OwnerID].Clone(), nil
	}
	team, err := s.teamOf(asService(ctx), owner{row.OwnerKind, row.OwnerID})
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Invalid) {
		return principal.Principal{}, nil
	}
	if err != nil || team == nil || len(subject.Rules) == 0 {
		return principal.Principal{}, err
	}
	return TeamReader(*team, subject.Rules[0]), nil
}

// TeamReader is as whom messages to channels of a team are read: with its grants, and the rule that opens the records.
func TeamReader(team uuid.UUID, rule string) principal.Principal {
	return principal.Principal{Kind: principal.Service, ID: team, Name: "notifications", Rules: []string{rule}, TeamIDs: []uuid.UUID{team}}
}
