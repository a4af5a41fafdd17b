package agent

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/agent/agentdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/tool/audit"
)

var idPattern = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$`)

// validID reports whether an agent can have this slug, and a tool or a skill this id.
func validID(id string) bool { return len(id) <= 64 && idPattern.MatchString(id) }

// parseID reads the usual form of a UUID. No slug looks like one.
func parseID(ref string) (uuid.UUID, bool) {
	id, err := uuid.Parse(ref)
	return id, err == nil && len(ref) == 36
}

// identify is the id of the agent with this id or slug, whoever may see it.
func (s *service) identify(ctx context.Context, ref string) (uuid.UUID, error) {
	if id, ok := parseID(ref); ok {
		return id, nil
	}
	if !validID(ref) {
		return uuid.Nil, missingAgent(ref)
	}
	row, err := s.queries(ctx).AgentBySlug(ctx, ref)
	if store.NoRows(err) {
		return uuid.Nil, missingAgent(ref)
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("find an agent: %w", err)
	}
	return row.ID, nil
}

// hide makes the answer about an agent that is hidden that about one which does not exist: neither says more than was asked.
func hide(ref string, err error) error {
	if problem.Is(err, problem.NotFound) {
		return missingAgent(ref)
	}
	return err
}

// see finds an agent that the caller may see.
func (s *service) see(ctx context.Context, ref string) (agentdb.Agent, error) {
	id, err := s.identify(ctx, ref)
	if err != nil {
		return agentdb.Agent{}, err
	}
	row, err := s.agents.See(ctx, id)
	return row, hide(ref, err)
}

// hold locks an agent for a change.
func (s *service) hold(ctx context.Context, ref string, want access.Level, based *int64) (agentdb.Agent, error) {
	id, err := s.identify(ctx, ref)
	if err != nil {
		return agentdb.Agent{}, err
	}
	row, err := s.agents.Hold(ctx, id, want, based)
	return row, hide(ref, err)
}

// newestDraft names the newest draft of an agent. Writing a tool of it makes one where there is none.
const newestDraft = "draft"

// ensureDraft makes a draft where an agent has none, with the bundle of the live revision if one is live.
func (s *service) ensureDraft(ctx context.Context, ref string) error {
	agent, err := s.see(ctx, ref)
	if err != nil {
		return err
	}
	if _, err := s.revision(ctx, agent.ID, newestDraft); err == nil || !problem.Is(err, problem.NotFound) {
		return err
	}
	var from NewRevision
	live, err := s.queries(ctx).LiveRevision(ctx, agent.ID)
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("find the live revision: %w", err)
	}
	if err == nil {
		from.CloneFrom = &live.ID
	}
	_, err = s.CreateRevision(ctx, ref, from)
	return err
}

// revisionKey is how a revision is named: by its id or by its number.
func revisionKey(ref string) (id *uuid.UUID, number *int32, err error) {
	if parsed, ok := parseID(ref); ok {
		return &parsed, nil, nil
	}
	n, err := strconv.ParseInt(ref, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != ref {
		return nil, nil, missingRevision(ref)
	}
	return nil, new(int32(n)), nil
}

// revision finds a revision of an agent that the caller sees.
func (s *service) revision(ctx context.Context, agent uuid.UUID, ref string) (agentdb.RevisionHeadRow, error) {
	if ref == newestDraft {
		rows, err := s.queries(ctx).Revisions(ctx, agentdb.RevisionsParams{AgentID: agent, State: string(Draft), MaxRows: 1})
		if err != nil {
			return agentdb.RevisionHeadRow{}, fmt.Errorf("find the newest draft: %w", err)
		}
		if len(rows) == 0 {
			return agentdb.RevisionHeadRow{}, missingRevision(ref)
		}
		return agentdb.RevisionHeadRow(rows[0]), nil
	}
	id, number, err := revisionKey(ref)
	if err != nil {
		return agentdb.RevisionHeadRow{}, err
	}
	row, err := s.queries(ctx).RevisionHead(ctx, agentdb.RevisionHeadParams{AgentID: agent, ID: id, Number: number})
	if store.NoRows(err) {
		return row, missingRevision(ref)
	}
	if err != nil {
		return row, fmt.Errorf("find a revision: %w", err)
	}
	return row, nil
}

// peek finds a revision for a write that begins with work outside of any transaction. What it decides is decided again by held.
func (s *service) peek(ctx context.Context, t Target, want access.Level) (agentdb.RevisionHeadRow, error) {
	agent, err := s.see(ctx, t.Agent)
	if err != nil {
		return agentdb.RevisionHeadRow{}, err
	}
	if err := kind.Sight(ctx).Permit(ctx, s.DB, agent.ID, agent.Name, nil, want); err != nil {
		return agentdb.RevisionHeadRow{}, hide(t.Agent, err)
	}
	return s.revision(ctx, agent.ID, t.Rev)
}

// peekDraft is peek for a draft at the revision that the write is based on.
func (s *service) peekDraft(ctx context.Context, t Target) (agentdb.RevisionHeadRow, error) {
	head, err := s.peek(ctx, t, access.Edit)
	if err != nil {
		return head, err
	}
	return head, writable(State(head.State), head.Number, head.Revision, t.Based)
}

func writable(state State, number int32, revision int64, based *int64) error {
	if state != Draft {
		return notDraft(state)
	}
	return atRevision(number, revision, based)
}

func atRevision(number int32, have int64, based *int64) error {
	return problem.CheckRevision(fmt.Sprintf("revision %d of the agent", number), have, based)
}

// held locks an agent and one of its revisions.
func (s *service) held(ctx context.Context, t Target, want access.Level) (agentdb.Agent, agentdb.LockRevisionRow, error) {
	agent, err := s.hold(ctx, t.Agent, want, nil)
	if err != nil {
		return agent, agentdb.LockRevisionRow{}, err
	}
	id, number, err := revisionKey(t.Rev)
	if err != nil {
		return agent, agentdb.LockRevisionRow{}, err
	}
	row, err := s.queries(ctx).LockRevision(ctx, agentdb.LockRevisionParams{AgentID: agent.ID, ID: id, Number: number})
	if store.NoRows(err) {
		return agent, row, missingRevision(t.Rev)
	}
	if err != nil {
		return agent, row, fmt.Errorf("lock a revision: %w", err)
	}
	return agent, row, nil
}

// edit runs do on a draft that is locked. When do reports fields that it has changed, the ETag of the draft rises. It returns the
// ETag after that.
func (s *service) edit(
	ctx context.Context,
	t Target,
	summary string,
	do func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error),
) (revision int64, changed bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		agent, draft, err := s.held(ctx, t, access.Edit)
		if err != nil {
			return err
		}
		if err := writable(State(draft.State), draft.Number, draft.Revision, t.Based); err != nil {
			return err
		}
		fields, err := do(ctx, draft)
		revision, changed = draft.Revision, len(fields) > 0
		if err != nil || !changed {
			return err
		}
		if err := s.fits(ctx, draft.ID); err != nil {
			return err
		}
		revision++
		if err := s.queries(ctx).BumpRevision(ctx, draft.ID); err != nil {
			return fmt.Errorf("raise the revision of a draft: %w", err)
		}
		return s.record(ctx, audit.Changed, agent, summary, fields)
	})
	return revision, changed, err
}

// fits refuses a bundle that has become too large.
func (s *service) fits(ctx context.Context, revision uuid.UUID) error {
	size, err := s.queries(ctx).BundleSize(ctx, revision)
	switch {
	case err != nil:
		return fmt.Errorf("measure a bundle: %w", err)
	case size.Tools > MaxTools:
		return problem.InvalidInput(fmt.Sprintf("A revision has at most %d tools. Remove one first.", MaxTools))
	case size.Skills > MaxSkills:
		return problem.InvalidInput(fmt.Sprintf("A revision has at most %d skills. Remove one first.", MaxSkills))
	case size.Examples > MaxBundleExamples:
		return problem.InvalidInput(
			fmt.Sprintf(
				"The tools of a revision have at most %d examples together, as freezing runs them all. Remove some first.",
				MaxBundleExamples,
			),
		)
	case size.Bytes > MaxBundleBytes:
		return problem.Errorf(
			problem.TooLarge,
			"The bundle has %d bytes of texts and sources, at most %d are allowed. Shorten or remove something.",
			size.Bytes,
			MaxBundleBytes,
		)
	}
	return nil
}

// Types are the object types on which grants can be held.
func (*Module) Types() []string { return []string{ObjectType} }

// SharedByOwners says that the owners of an agent share it. It implements auth.Shared.
func (*Module) SharedByOwners(objectType string) bool { return objectType == ObjectType }

// See is problem.NotFound unless the agent exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) error {
	if objectType != ObjectType {
		return notGrantable(objectType)
	}
	_, err := m.service.agents.See(ctx, id)
	return err
}

// Touch locks an agent whose grants change and raises its revision; problem.NotFound when it does not exist. It returns its name.
func (m *Module) Touch(ctx context.Context, objectType string, id uuid.UUID) (string, error) {
	if objectType != ObjectType {
		return "", notGrantable(objectType)
	}
	head, err := m.service.agents.Touch(ctx, id)
	return head.Name, err
}

func notGrantable(objectType string) error {
	return problem.Errorf(problem.NotFound, "There are no objects of the type %s to grant access to.", objectType)
}

// Audited are the agents whose history can be read: those that the caller may see.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: ObjectType, See: audit.ByUUID(m.service.agents.See)}}
}

// record adds a change to the audit log, in its transaction.
func (s *service) record(ctx context.Context, action audit.Action, agent agentdb.Agent, summary string, fields audit.Fields) error {
	return audit.Record(
		ctx,
		s.DB,
		audit.Event{Action: action, Object: audit.Object(ObjectType, agent.ID, agent.Name), Summary: summary, Fields: fields},
	)
}

// revisionType is what the authors of the tools of revisions are kept under: whose text a model is told that is offered them.
const revisionType = "agent.revision"

func authored(id string) string { return "tool " + id }

// wrote makes whoever writes a tool of a draft one of its authors. They stay as long as the tool is there, as parts of what they
// wrote may.
func (s *service) wrote(ctx context.Context, draft uuid.UUID, id string) error {
	return audit.Wrote(ctx, s.DB, revisionType, draft, authored(id))
}

// keepAuthors forgets the authors of tools that a draft does not have any more.
func (s *service) keepAuthors(ctx context.Context, draft uuid.UUID) error {
	ids, err := s.queries(ctx).ToolIDs(ctx, draft)
	if err != nil {
		return fmt.Errorf("list tools: %w", err)
	}
	for i, id := range ids {
		ids[i] = authored(id)
	}
	return audit.KeepAuthors(ctx, s.DB, revisionType, draft, ids...)
}

// recordGuess adds that the caller wanted the slug of an agent that they do not see. It is about them: neither is named.
func recordGuess(ctx context.Context, db *store.DB, noun string) error {
	who := principal.FromContext(ctx)
	object := audit.Object("auth."+string(who.Kind), who.ID, who.Name)
	return audit.Record(ctx, db, audit.Event{
		Action: audit.NameRefused, Object: object, Summary: "A name was refused that an " + noun + " has which they do not see",
	})
}
