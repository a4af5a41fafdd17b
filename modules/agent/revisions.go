package agent

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
)

// Revisions lists the revisions of an agent, newest first; state "" means any.
func (s *service) Revisions(ctx context.Context, ref string, state State, page rest.Page) ([]Revision, rest.Next, error) {
	agent, err := s.findAgent(ctx, ref)
	if err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	var before int64
	if after != "" {
		if before, err = strconv.ParseInt(after, 10, 32); err != nil || before < 1 {
			return nil, rest.Next{}, problem.UnknownCursor()
		}
	}
	rows, err := s.queries(
		ctx,
	).Revisions(
		ctx,
		agentdb.RevisionsParams{AgentID: agent.ID, Before: int32(before), State: string(state), MaxRows: page.Rows()},
	)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list revisions: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row agentdb.RevisionsRow) string { return strconv.Itoa(int(row.Number)) })
	heads := make([]agentdb.RevisionHeadRow, len(rows))
	for i, row := range rows {
		heads[i] = agentdb.RevisionHeadRow(row)
	}
	list, err := s.withAuthors(ctx, heads...)
	return list, next, err
}

// withAuthors adds the names of the creators to revisions.
func (s *service) withAuthors(ctx context.Context, rows ...agentdb.RevisionHeadRow) ([]Revision, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.CreatedByID
	}
	names, err := s.Names.Names(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look up names: %w", err)
	}
	list := make([]Revision, len(rows))
	for i, row := range rows {
		list[i] = Revision{
			ID:         row.ID,
			AgentID:    row.AgentID,
			Number:     int(row.Number),
			State:      State(row.State),
			ClonedFrom: row.ClonedFrom,
			CreatedBy: Author{
				Kind: row.CreatedByKind,
				ID:   row.CreatedByID,
				Name: names[row.CreatedByID],
			},
			CreatedAt:  row.CreatedAt,
			UpdatedAt:  row.UpdatedAt,
			FrozenAt:   row.FrozenAt,
			PromotedAt: row.PromotedAt,
			ToolCount:  int(row.Tools),
			Revised:    rest.Revised{Revision: row.Revision},
		}
		if row.BundleSha256 != nil {
			list[i].BundleSHA256 = *row.BundleSha256
		}
	}
	return list, nil
}

// Revision returns one revision, by its id or number.
func (s *service) Revision(ctx context.Context, ref, rev string) (Revision, error) {
	agent, err := s.findAgent(ctx, ref)
	if err != nil {
		return Revision{}, err
	}
	row, err := s.revision(ctx, agent.ID, rev)
	if err != nil {
		return Revision{}, err
	}
	list, err := s.withAuthors(ctx, row)
	if err != nil {
		return Revision{}, err
	}
	if list[0].State == Live {
		list[0].LeftOut, err = s.leftOut(ctx, agent)
	}
	return list[0], err
}

// CreateRevision creates a draft.
func (s *service) CreateRevision(ctx context.Context, ref string, in NewRevision) (Revision, error) {
	agent, err := s.findAgent(ctx, ref)
	if err != nil {
		return Revision{}, err
	}
	if err := kind.Sight(ctx).Permit(ctx, s.DB, agent.ID, agent.Name, nil, access.Edit); err != nil {
		return Revision{}, hideMissing(ref, err)
	}
	var copied *content
	if in.CloneFrom != nil {
		if copied, err = s.loadSource(ctx, *in.CloneFrom, "cloneFrom"); err != nil {
			return Revision{}, err
		}
	}
	id, who := store.NewID(), principal.FromContext(ctx)
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Revision, error) {
		agent, err := s.lockAgent(ctx, ref, access.Edit, nil)
		if err != nil {
			return Revision{}, err
		}
		q := s.queries(ctx)
		drafts, err := q.CountDrafts(ctx, agent.ID)
		if err != nil {
			return Revision{}, fmt.Errorf("count drafts: %w", err)
		}
		if drafts >= MaxDrafts {
			return Revision{}, problem.Errorf(
				problem.Conflict,
				"The agent has %d drafts, which is as many as it can have. Delete one first.",
				drafts,
			)
		}
		number, err := q.NextNumber(ctx, agent.ID)
		if err != nil {
			return Revision{}, fmt.Errorf("number a draft: %w", err)
		}
		err = q.CreateRevision(
			ctx,
			agentdb.CreateRevisionParams{ID: id, AgentID: agent.ID, Number: number, CreatedByKind: string(who.Kind), CreatedByID: who.ID},
		)
		if err != nil {
			return Revision{}, fmt.Errorf("create a draft: %w", err)
		}
		if copied != nil {
			if err := s.replaceBundle(ctx, id, *copied); err != nil {
				return Revision{}, err
			}
		}
		var fields audit.Fields
		fields.Compare("draft", "", strconv.Itoa(int(number)))
		if err := s.record(ctx, audit.Changed, agent, "Draft created", fields); err != nil {
			return Revision{}, err
		}
		if err := s.bumpRevision(ctx, agent.ID); err != nil {
			return Revision{}, err
		}
		return s.Revision(ctx, agent.ID.String(), id.String())
	})
}

// DeleteDraft deletes a draft. A second call finds none.
func (s *service) DeleteDraft(ctx context.Context, t Target) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		agent, row, err := s.lockRevision(ctx, t, access.Edit)
		if err != nil {
			return err
		}
		if err := checkWritable(State(row.State), row.Number, row.Revision, t.Based); err != nil {
			return err
		}
		if n, err := s.queries(ctx).DeleteDraft(ctx, row.ID); err != nil || n == 0 {
			return fmt.Errorf("delete a draft: %w", orMissing(err))
		}
		if err := audit.KeepAuthors(ctx, s.DB, revisionType, row.ID); err != nil {
			return err
		}
		if err := s.bumpRevision(ctx, agent.ID); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("draft", strconv.Itoa(int(row.Number)), "")
		return s.record(ctx, audit.Changed, agent, "Draft deleted", fields)
	})
}

// Promote makes a ready or archived revision the live one, and archives the one before. A live one stays live.
func (s *service) Promote(ctx context.Context, t Target) (Revision, error) {
	return s.changeState(
		ctx,
		t,
		"Revision promoted",
		func(ctx context.Context, agent agentdb.Agent, row agentdb.LockRevisionRow) (audit.Fields, error) {
			switch State(row.State) {
			case Live:
				return nil, nil
			case Draft:
				return nil, problem.Errorf(
					problem.Conflict,
					"The revision is a draft. Freeze it first.",
				).With(
					"error",
					"revision_not_ready",
				).With(
					"state",
					Draft,
				)
			case Ready, Archived:
			}
			if err := permitSecrets(principal.FromContext(ctx), "promote a revision that names secrets", len(row.Secrets) > 0); err != nil {
				return nil, err
			}
			if err := s.verifySeal(ctx, row.ID); err != nil {
				return nil, err
			}
			if _, err := s.queries(ctx).RetireLive(ctx, agent.ID); err != nil {
				return nil, fmt.Errorf("archive the live revision: %w", err)
			}
			if n, err := s.queries(ctx).GoLive(ctx, row.ID); err != nil || n == 0 {
				return nil, fmt.Errorf("promote a revision: %w", orMissing(err))
			}
			if err := s.queries(ctx).KeepIdentities(ctx, row.ID); err != nil {
				return nil, fmt.Errorf("keep what the tools of a revision are: %w", err)
			}
			var fields audit.Fields
			fields.Compare("live", "", strconv.Itoa(int(row.Number)))
			return fields, nil
		},
	)
}

// verifySeal verifies the hash of a sealed bundle, which only a write past the product can break.
func (s *service) verifySeal(ctx context.Context, revision uuid.UUID) error {
	c, err := s.load(ctx, revision)
	if err != nil {
		return err
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	if hash(files) != c.sha256 {
		return problem.Errorf(
			problem.Conflict,
			"The bundle is not what was sealed: it was altered in the database. Create a draft from it, review it, and freeze that.",
		).
			With(
				"error",
				"bundle_altered",
			)
	}
	return nil
}

// Archive archives a ready or the live revision. An archived one stays archived.
func (s *service) Archive(ctx context.Context, t Target) (Revision, error) {
	return s.changeState(
		ctx,
		t,
		"Revision archived",
		func(ctx context.Context, _ agentdb.Agent, row agentdb.LockRevisionRow) (audit.Fields, error) {
			var fields audit.Fields
			switch State(row.State) {
			case Archived:
				return nil, nil
			case Draft:
				return nil, problem.Errorf(
					problem.Conflict,
					"The revision is a draft. Delete it instead, or freeze it first.",
				).With(
					"error",
					"revision_not_ready",
				).With(
					"state",
					Draft,
				)
			case Live:
				fields.Compare("live", strconv.Itoa(int(row.Number)), "")
			case Ready:
				fields.Compare("archived", "", strconv.Itoa(int(row.Number)))
			}
			if n, err := s.queries(ctx).ArchiveRevision(ctx, row.ID); err != nil || n == 0 {
				return nil, fmt.Errorf("archive a revision: %w", orMissing(err))
			}
			return fields, nil
		},
	)
}

// changeState changes the state of a revision by do, which returns no fields when it already has the state.
func (s *service) changeState(
	ctx context.Context,
	t Target,
	summary string,
	do func(context.Context, agentdb.Agent, agentdb.LockRevisionRow) (audit.Fields, error),
) (Revision, error) {
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Revision, error) {
		agent, row, err := s.lockRevision(ctx, t, access.Own)
		if err != nil {
			return Revision{}, err
		}
		if err := checkRevision(row.Number, row.Revision, t.Based); err != nil {
			return Revision{}, err
		}
		fields, err := do(ctx, agent, row)
		if err != nil {
			return Revision{}, err
		}
		if len(fields) > 0 {
			if err := s.queries(ctx).BumpRevision(ctx, row.ID); err != nil {
				return Revision{}, fmt.Errorf("raise the revision of a revision: %w", err)
			}
			if err := s.bumpRevision(ctx, agent.ID); err != nil {
				return Revision{}, err
			}
			if err := s.record(ctx, audit.Changed, agent, summary, fields); err != nil {
				return Revision{}, err
			}
		}
		return s.Revision(ctx, agent.ID.String(), row.ID.String())
	})
}

// orMissing returns the error of a statement, or errGone for a locked row that is missing.
func orMissing(err error) error {
	if err != nil {
		return err
	}
	return errRowMissing
}
