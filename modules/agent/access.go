package agent

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
)

var idPattern = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$`)

// validID reports whether id is valid as an agent's slug and as the id of a tool or skill.
func validID(id string) bool { return len(id) <= 64 && idPattern.MatchString(id) }

// parseID parses the usual form of a UUID. No valid slug looks like one.
func parseID(ref string) (uuid.UUID, bool) {
	id, err := uuid.Parse(ref)
	return id, err == nil && len(ref) == 36
}

// resolveID returns the id of the agent with this id or slug, without a check of access.
func (s *service) resolveID(ctx context.Context, ref string) (uuid.UUID, error) {
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

// hideMissing replaces the answer about a hidden agent by that about a missing one (enumeration guard); neither repeats more
// than the request.
func hideMissing(ref string, err error) error {
	if problem.Is(err, problem.NotFound) {
		return missingAgent(ref)
	}
	return err
}

// findAgent finds an agent that the caller may see.
func (s *service) findAgent(ctx context.Context, ref string) (agentdb.Agent, error) {
	id, err := s.resolveID(ctx, ref)
	if err != nil {
		return agentdb.Agent{}, err
	}
	row, err := s.agents.See(ctx, id)
	return row, hideMissing(ref, err)
}

// lockAgent locks an agent for a change.
func (s *service) lockAgent(ctx context.Context, ref string, want access.Level, based *int64) (agentdb.Agent, error) {
	id, err := s.resolveID(ctx, ref)
	if err != nil {
		return agentdb.Agent{}, err
	}
	row, err := s.agents.Hold(ctx, id, want, based)
	return row, hideMissing(ref, err)
}

// newestDraft is the name for the newest draft of an agent. Writing a tool of it creates one if there is none.
const newestDraft = "draft"

// ensureDraft creates a draft for an agent without one, with the bundle of the live revision, if any.
func (s *service) ensureDraft(ctx context.Context, ref string) error {
	agent, err := s.findAgent(ctx, ref)
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

// revisionKey parses the id or number of a revision.
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

// precheck checks a write before its work outside of a transaction. held checks it again inside.
func (s *service) precheck(ctx context.Context, t Target, want access.Level) (agentdb.RevisionHeadRow, error) {
	agent, err := s.findAgent(ctx, t.Agent)
	if err != nil {
		return agentdb.RevisionHeadRow{}, err
	}
	if err := kind.Sight(ctx).Permit(ctx, s.DB, agent.ID, agent.Name, nil, want); err != nil {
		return agentdb.RevisionHeadRow{}, hideMissing(t.Agent, err)
	}
	return s.revision(ctx, agent.ID, t.Rev)
}

// precheckDraft is peek for a draft at the ETag that the write is based on.
func (s *service) precheckDraft(ctx context.Context, t Target) (agentdb.RevisionHeadRow, error) {
	head, err := s.precheck(ctx, t, access.Edit)
	if err != nil {
		return head, err
	}
	return head, checkWritable(State(head.State), head.Number, head.Revision, t.Based)
}

func checkWritable(state State, number int32, revision int64, based *int64) error {
	if state != Draft {
		return notDraft(state)
	}
	return checkRevision(number, revision, based)
}

func checkRevision(number int32, have int64, based *int64) error {
	return problem.CheckRevision(fmt.Sprintf("revision %d of the agent", number), have, based)
}

// lockRevision locks an agent and one of its revisions.
func (s *service) lockRevision(ctx context.Context, t Target, want access.Level) (agentdb.Agent, agentdb.LockRevisionRow, error) {
	agent, err := s.lockAgent(ctx, t.Agent, want, nil)
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

// edit runs do on a locked draft. If do reports changed fields, the draft's ETag is raised. It returns the resulting
// ETag.
func (s *service) edit(
	ctx context.Context,
	t Target,
	summary string,
	do func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error),
) (revision int64, changed bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		agent, draft, err := s.lockRevision(ctx, t, access.Edit)
		if err != nil {
			return err
		}
		if err := checkWritable(State(draft.State), draft.Number, draft.Revision, t.Based); err != nil {
			return err
		}
		fields, err := do(ctx, draft)
		revision, changed = draft.Revision, len(fields) > 0
		if err != nil || !changed {
			return err
		}
		if err := s.checkSize(ctx, draft.ID); err != nil {
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

// checkSize refuses a bundle over the size limits.
func (s *service) checkSize(ctx context.Context, revision uuid.UUID) error {
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

// Types lists the object types that can have grants.
func (*Module) Types() []string { return []string{ObjectType} }

// SharedByOwners reports that owners of an agent share it. It implements auth.Shared.
func (*Module) SharedByOwners(objectType string) bool { return objectType == ObjectType }

// See returns problem.NotFound unless the agent exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) error {
	if objectType != ObjectType {
		return notGrantable(objectType)
	}
	_, err := m.service.agents.See(ctx, id)
	return err
}

// Touch locks an agent whose grants change, raises its revision and returns its name; problem.NotFound when it does
// not exist.
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

// The type in the audit log, as people read it.
var auditedAgent = audit.Declare(audit.Type{
	ID: ObjectType, Label: "Agent", Plural: "Agents", Page: "/agents/{id}", Restricted: true,
	Kept: []string{"name", "draft", "tool", "skill", "ready", "live", "archived", "revision", "argsHash", "ok"},
})

// Audited lets callers who see an agent read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedAgent, See: audit.ByUUID(m.service.agents.See)}}
}

// record writes an audit event about a change, in its transaction.
func (s *service) record(ctx context.Context, action audit.Action, agent agentdb.Agent, summary string, fields audit.Fields) error {
	return audit.Record(
		ctx,
		s.DB,
		audit.Event{Action: action, Object: audit.Object(ObjectType, agent.ID, agent.Name), Summary: summary, Fields: fields},
	)
}

// revisionType is the object type under which the authors of tools are stored, for taint: a model reads their texts.
const revisionType = "agent.revision"

func authorKey(id string) string { return "tool " + id }

// addAuthor records the caller as an author of a draft's tool. Authors stay as long as the tool does, as parts of their
// text may.
func (s *service) addAuthor(ctx context.Context, draft uuid.UUID, id string) error {
	return audit.Wrote(ctx, s.DB, revisionType, draft, authorKey(id))
}

// pruneAuthors deletes the authors of tools that a draft no longer has.
func (s *service) pruneAuthors(ctx context.Context, draft uuid.UUID) error {
	ids, err := s.queries(ctx).ToolIDs(ctx, draft)
	if err != nil {
		return fmt.Errorf("list tools: %w", err)
	}
	for i, id := range ids {
		ids[i] = authorKey(id)
	}
	return audit.KeepAuthors(ctx, s.DB, revisionType, draft, ids...)
}

// recordGuess writes an audit event for the enumeration guard: the caller named the slug of an agent that they cannot
// see. The event is about the caller and names neither.
func recordGuess(ctx context.Context, db *store.DB, noun string) error {
	who := principal.FromContext(ctx)
	object := audit.Object("auth."+string(who.Kind), who.ID, who.Name)
	return audit.Record(ctx, db, audit.Event{
		Action: audit.NameRefused, Object: object, Summary: "A name was refused that an " + noun + " has which they do not see",
	})
}
