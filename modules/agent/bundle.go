package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/agent/agentdb"
)

// readBundle reads the bundle of a revision that the caller sees.
func (s *service) readBundle(ctx context.Context, agent, rev string) (content, error) {
	row, err := s.findAgent(ctx, agent)
	if err != nil {
		return content{}, err
	}
	head, err := s.revision(ctx, row.ID, rev)
	if err != nil {
		return content{}, err
	}
	return s.load(ctx, head.ID)
}

// Bundle returns the authored parts of a revision in any state.
func (s *service) Bundle(ctx context.Context, agent, rev string) (BundleOf, error) {
	c, err := s.readBundle(ctx, agent, rev)
	if err != nil {
		return BundleOf{}, err
	}
	out := BundleOf{
		RevisionID: c.id, State: c.state, BundleSHA256: c.sha256, Warnings: []string{}, Revised: rest.Revised{Revision: c.revision},
		Bundle: Bundle{AgentMD: c.agentMD, Spec: c.spec, Skills: make([]Skill, len(c.skills)), Tools: make([]Tool, len(c.tools))},
	}
	for i, row := range c.skills {
		out.Bundle.Skills[i] = Skill{ID: row.ID, Description: row.Description, Content: row.Content}
	}
	for i, row := range c.tools {
		if out.Bundle.Tools[i], err = toolOf(row); err != nil {
			return BundleOf{}, err
		}
		if row.Compiler != s.CompilerID && c.state == Draft {
			out.Warnings = append(out.Warnings, fmt.Sprintf("The tool %s was compiled by %s; freezing recompiles it.", row.ID, row.Compiler))
		}
	}
	return out, nil
}

func toolOf(row agentdb.AgentTool) (Tool, error) {
	capabilities, err := capabilitiesOf(row)
	if err != nil {
		return Tool{}, err
	}
	t := Tool{
		ID:           row.ID,
		Description:  row.Description,
		ArgsSchema:   row.ArgsSchema,
		Effect:       Effect(row.Effect),
		Source:       row.Source,
		SourceSHA256: row.SourceSha256,
		Capabilities: capabilities,
		Compiler:     row.Compiler,
		Examples:     []Example{},
		Warnings:     row.Warnings,
	}
	if err := json.Unmarshal(row.Examples, &t.Examples); err != nil {
		return Tool{}, fmt.Errorf("read examples: %w", err)
	}
	return t, nil
}

// writePart writes a part of a draft that needs no work before the transaction.
func writePart[T any](
	ctx context.Context,
	s *service,
	t Target,
	read func() (T, error),
	check func(*problem.Issues, T) T,
	summary string,
	do func(ctx context.Context, draft agentdb.LockRevisionRow, in T) (audit.Fields, error),
) (Written, int64, error) {
	if _, err := s.precheckDraft(ctx, t); err != nil {
		return Written{}, 0, err
	}
	in, err := read()
	if err != nil {
		return Written{}, 0, err
	}
	var v problem.Issues
	in = check(&v, in)
	if err := v.Err(); err != nil {
		return Written{}, 0, err
	}
	revision, changed, err := s.edit(ctx, t, summary, func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error) {
		return do(ctx, draft, in)
	})
	return Written{OK: true, Changed: changed}, revision, err
}

// PutAgentMD writes agent.md of a draft.
func (s *service) PutAgentMD(ctx context.Context, t Target, read func() (AgentMDInput, error)) (Written, int64, error) {
	check := func(v *problem.Issues, in AgentMDInput) AgentMDInput {
		return AgentMDInput{text.Lines(v, "content", in.Content, MaxAgentMD)}
	}
	return writePart(
		ctx,
		s,
		t,
		read,
		check,
		"Text of a draft written",
		func(ctx context.Context, draft agentdb.LockRevisionRow, in AgentMDInput) (audit.Fields, error) {
			n, err := s.queries(ctx).SetAgentMD(ctx, agentdb.SetAgentMDParams{ID: draft.ID, AgentMd: in.Content})
			if err != nil {
				return nil, fmt.Errorf("write agent.md: %w", err)
			}
			var fields audit.Fields
			fields.Mention("agentMd", n > 0)
			return fields, nil
		},
	)
}

// PutSpec writes the spec of a draft.
func (s *service) PutSpec(ctx context.Context, t Target, read func() (SpecInput, error)) (Written, int64, error) {
	check := func(v *problem.Issues, in SpecInput) SpecInput { return SpecInput{in.Spec.checked(v, "spec")} }
	return writePart(
		ctx,
		s,
		t,
		read,
		check,
		"Spec of a draft written",
		func(ctx context.Context, draft agentdb.LockRevisionRow, in SpecInput) (audit.Fields, error) {
			changed, err := s.setSpec(ctx, draft.ID, in.Spec)
			var fields audit.Fields
			fields.Mention("spec", changed)
			return fields, err
		},
	)
}

// setSpec stores a spec, and reports whether it changed.
func (s *service) setSpec(ctx context.Context, draft uuid.UUID, spec Spec) (bool, error) {
	data, err := spec.json()
	if err != nil {
		return false, err
	}
	n, err := s.queries(ctx).SetSpec(ctx, agentdb.SetSpecParams{ID: draft, Spec: data, Secrets: spec.secrets()})
	if err != nil {
		return false, fmt.Errorf("write a spec: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, s.permitNamed(ctx, spec)
}

// PutSkill writes a skill of a draft.
func (s *service) PutSkill(ctx context.Context, t Target, id string, read func() (SkillInput, error)) (Written, int64, error) {
	check := func(v *problem.Issues, in SkillInput) SkillInput {
		return SkillInput{
			text.Required(
				v,
				"description",
				text.Lines(v, "description", in.Description, MaxDescription),
			),
			text.Lines(v, "content", in.Content, MaxSkill),
		}
	}
	return writePart(
		ctx,
		s,
		t,
		read,
		check,
		"Skill of a draft written",
		func(ctx context.Context, draft agentdb.LockRevisionRow, in SkillInput) (audit.Fields, error) {
			n, err := s.queries(
				ctx,
			).PutSkill(
				ctx,
				agentdb.PutSkillParams{RevisionID: draft.ID, ID: id, Description: in.Description, Content: in.Content},
			)
			if err != nil {
				return nil, fmt.Errorf("write a skill: %w", err)
			}
			var fields audit.Fields
			if n > 0 {
				fields.Compare("skill", "", id)
			}
			return fields, nil
		},
	)
}

// DeleteSkill deletes a skill of a draft. A second call finds none.
func (s *service) DeleteSkill(ctx context.Context, t Target, id string) error {
	_, _, err := s.edit(ctx, t, "Skill of a draft removed", func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error) {
		n, err := s.queries(ctx).DeleteSkill(ctx, agentdb.DeleteSkillParams{RevisionID: draft.ID, ID: id})
		if err != nil {
			return nil, fmt.Errorf("remove a skill: %w", err)
		}
		if n == 0 {
			return nil, missingSkill(id)
		}
		var fields audit.Fields
		fields.Compare("skill", id, "")
		return fields, nil
	})
	return err
}

// PutBundle replaces agent.md, spec and tools of a draft. All tools are compiled before any write. Remaining tools
// keep their examples.
func (s *service) PutBundle(ctx context.Context, t Target, read func() (BundleInput, error)) (Written, int64, error) {
	if _, err := s.precheckDraft(ctx, t); err != nil {
		return Written{}, 0, err
	}
	in, err := read()
	if err != nil {
		return Written{}, 0, err
	}
	var v problem.Issues
	in = in.checked(&v)
	if err := v.Err(); err != nil {
		return Written{}, 0, err
	}
	next := content{agentMD: in.AgentMD, spec: in.Spec}
	var failed []ToolErrors
	for _, tool := range in.Tools {
		c, err := s.compile(ctx, tool.ID, tool.ToolInput)
		if err != nil {
			return Written{}, 0, err
		}
		if len(c.errors) > 0 {
			failed = append(failed, ToolErrors{tool.ID, c.errors})
			continue
		}
		next.tools = append(next.tools, c.toRow(nil))
	}
	if len(failed) > 0 {
		return Written{}, 0, bundleFailed(failed)
	}
	revision, changed, err := s.edit(
		ctx,
		t,
		"Bundle of a draft written",
		func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error) {
			named := len(draft.Secrets) > 0 || len(next.spec.Secrets) > 0
			return s.setBundle(ctx, draft.ID, next, named)
		},
	)
	return Written{OK: true, Changed: changed}, revision, err
}

func (in BundleInput) checked(v *problem.Issues) BundleInput {
	out := BundleInput{AgentMD: text.Lines(v, "agent_md", in.AgentMD, MaxAgentMD), Spec: in.Spec.checked(v, "spec")}
	if len(in.Tools) > MaxTools {
		v.Report("tools", "has %d tools, at most %d are allowed", len(in.Tools), MaxTools)
		return out
	}
	seen := map[string]bool{}
	for i, tool := range in.Tools {
		at := fmt.Sprintf("tools[%d].", i)
		switch {
		case !validID(tool.ID):
			v.Report(at+"id", "must have 1 to 64 small letters, digits, hyphens and underscores, and begin and end with a letter or digit")
		case seen[tool.ID]:
			v.Report(at+"id", "stands twice")
		}
		seen[tool.ID] = true
		out.Tools = append(out.Tools, NamedTool{tool.ID, tool.checked(v, at)})
	}
	return out
}

// setBundle writes agent.md, spec and tools, and deletes other tools. named reports that secrets are or were named.
// Parts copied from another revision keep their authors; the caller is the author of the rest.
func (s *service) setBundle(ctx context.Context, draft uuid.UUID, next content, named bool) (audit.Fields, error) {
	q := s.queries(ctx)
	var fields audit.Fields
	n, err := q.SetAgentMD(ctx, agentdb.SetAgentMDParams{ID: draft, AgentMd: next.agentMD})
	if err != nil {
		return nil, fmt.Errorf("write agent.md: %w", err)
	}
	fields.Mention("agentMd", n > 0)
	ids, touched := []string{}, int64(0)
	for _, tool := range next.tools {
		n, err := q.PutTool(ctx, putParams(draft, tool))
		if err != nil {
			return nil, fmt.Errorf("write a tool: %w", err)
		}
		if n > 0 && next.id == uuid.Nil {
			if err := s.addAuthor(ctx, draft, tool.ID); err != nil {
				return nil, err
			}
		}
		ids, touched = append(ids, tool.ID), touched+n
	}
	gone, err := q.DeleteToolsExcept(ctx, agentdb.DeleteToolsExceptParams{RevisionID: draft, Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("remove tools: %w", err)
	}
	fields.Mention("tools", touched+gone > 0)
	if err := s.pruneAuthors(ctx, draft); err != nil {
		return nil, err
	}
	if err := permitSecrets(principal.FromContext(ctx), "write tools of a revision that names secrets", named && touched > 0); err != nil {
		return nil, err
	}
	changed, err := s.setSpec(ctx, draft, next.spec)
	fields.Mention("spec", changed)
	return fields, err
}

func putParams(draft uuid.UUID, t agentdb.AgentTool) agentdb.PutToolParams {
	return agentdb.PutToolParams{
		RevisionID:   draft,
		ID:           t.ID,
		Description:  t.Description,
		ArgsSchema:   t.ArgsSchema,
		Effect:       t.Effect,
		Source:       t.Source,
		SourceSha256: t.SourceSha256,
		CompiledJs:   t.CompiledJs,
		SourceMap:    t.SourceMap,
		Capabilities: t.Capabilities,
		Compiler:     t.Compiler,
		Warnings:     t.Warnings,
	}
}

// loadSource reads a bundle to copy, of an agent that the caller sees. Tools of another compiler version are recompiled.
func (s *service) loadSource(ctx context.Context, id uuid.UUID, path string) (*content, error) {
	missing := problem.InvalidInput(
		fmt.Sprintf("No revision has the id %s. List the revisions of the agent to see what exists.", id),
		problem.Issue{Path: path, Message: "names no revision"},
	)
	agent, err := s.queries(ctx).AgentOfRevision(ctx, id)
	if store.NoRows(err) {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("find a revision: %w", err)
	}
	_, err = s.agents.See(ctx, agent)
	if problem.Is(err, problem.NotFound) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	c, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var failed []ToolErrors
	for i, tool := range c.tools {
		if tool.Compiler == s.CompilerID {
			continue
		}
		made, err := s.compile(ctx, tool.ID, inputOf(tool))
		if err != nil {
			return nil, err
		}
		if len(made.errors) > 0 {
			failed = append(failed, ToolErrors{tool.ID, made.errors})
			continue
		}
		c.tools[i] = made.toRow(tool.Examples)
	}
	if len(failed) > 0 {
		return nil, bundleFailed(failed)
	}
	return &c, nil
}

// CloneFrom replaces the bundle of a draft by a copy of another one.
func (s *service) CloneFrom(ctx context.Context, t Target, read func() (CloneInput, error)) (Written, int64, error) {
	if _, err := s.precheckDraft(ctx, t); err != nil {
		return Written{}, 0, err
	}
	in, err := read()
	if err != nil {
		return Written{}, 0, err
	}
	copied, err := s.loadSource(ctx, in.SourceRevisionID, "source_revision_id")
	if err != nil {
		return Written{}, 0, err
	}
	revision, changed, err := s.edit(
		ctx,
		t,
		"Bundle copied into a draft",
		func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error) {
			var fields audit.Fields
			fields.Mention("agentMd", true)
			fields.Mention("spec", true)
			fields.Mention("tools", true)
			fields.Mention("skills", true)
			return fields, s.replaceBundle(ctx, draft.ID, *copied)
		},
	)
	return Written{OK: true, Changed: changed}, revision, err
}

// replaceBundle replaces the bundle of a draft, with skills and examples.
func (s *service) replaceBundle(ctx context.Context, draft uuid.UUID, c content) error {
	if err := audit.KeepAuthors(ctx, s.DB, revisionType, draft); err != nil {
		return err
	}
	if err := audit.CopyAuthors(ctx, s.DB, revisionType, c.id, draft); err != nil {
		return err
	}
	if _, err := s.setBundle(ctx, draft, c, len(c.spec.Secrets) > 0); err != nil {
		return err
	}
	q := s.queries(ctx)
	for _, tool := range c.tools {
		if _, err := q.SetExamples(ctx, agentdb.SetExamplesParams{RevisionID: draft, ID: tool.ID, Examples: tool.Examples}); err != nil {
			return fmt.Errorf("copy examples: %w", err)
		}
	}
	if err := q.DeleteSkills(ctx, draft); err != nil {
		return fmt.Errorf("remove skills: %w", err)
	}
	for _, skill := range c.skills {
		if _, err := q.PutSkill(
			ctx,
			agentdb.PutSkillParams{RevisionID: draft, ID: skill.ID, Description: skill.Description, Content: skill.Content},
		); err != nil {
			return fmt.Errorf("copy a skill: %w", err)
		}
	}
	if err := q.SetClonedFrom(ctx, agentdb.SetClonedFromParams{ID: draft, Source: &c.id}); err != nil {
		return fmt.Errorf("note where a bundle is from: %w", err)
	}
	return nil
}
