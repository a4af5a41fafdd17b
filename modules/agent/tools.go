package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/internal/text/strictjson"
	"countersign/modules/agent/agentdb"
)

// maxSchemaDepth limits the nesting of argument schemas.
const maxSchemaDepth = 32

// checked validates a tool and returns its stored form. path is its prefix in the input, with a trailing dot, or "".
// Errors of the source are diagnostics, which compile finds.
func (in ToolInput) checked(v *problem.Issues, path string) ToolInput {
	in.Description = text.Required(v, path+"description", text.Lines(v, path+"description", in.Description, MaxDescription))
	in.ArgsSchema = compactObject(v, path+"args_schema", in.ArgsSchema)
	checkPlainTexts(v, path+"args_schema", in.ArgsSchema)
	switch in.Effect {
	case "":
		in.Effect = MutateEffect
	case ReadEffect, MutateEffect:
	default:
		v.Report(path+"effect", "must be read or mutate")
	}
	return in
}

// compactObject compacts a JSON object and keeps the order of its members.
func compactObject(v *problem.Issues, path string, data json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	switch {
	case len(data) > MaxArgsSchema:
		v.Report(path, "has %d bytes, at most %d are allowed", len(data), MaxArgsSchema)
	case json.Compact(&out, data) != nil || out.Len() == 0 || out.Bytes()[0] != '{':
		v.Report(path, "must be a JSON object")
	case strictjson.Depth(out.Bytes()) > maxSchemaDepth:
		v.Report(path, "is nested deeper than %d levels", maxSchemaDepth)
	default:
		return out.Bytes()
	}
	return json.RawMessage("{}")
}

// checkPlainTexts reports texts and member names of valid JSON with control or disguising characters, because models read
// schemas unchanged.
func checkPlainTexts(v *problem.Issues, path string, data json.RawMessage) {
	read := json.NewDecoder(bytes.NewReader(data))
	read.UseNumber()
	for {
		token, err := read.Token()
		if err != nil {
			return
		}
		if value, ok := token.(string); ok {
			before := v.Err()
			if text.Lines(v, path, value, MaxArgsSchema); before == nil && v.Err() != nil {
				return
			}
		}
	}
}

// PutTool writes a tool of a draft. Checks run in this order: agent and revision, state, body, source. The first
// failure is the answer, and nothing is written.
func (s *service) PutTool(ctx context.Context, t Target, id string, read func() (ToolInput, error)) (ToolWritten, int64, error) {
	if t.Rev == newestDraft {
		if err := s.ensureDraft(ctx, t.Agent); err != nil {
			return ToolWritten{}, 0, err
		}
	}
	head, err := s.precheckDraft(ctx, t)
	if err != nil {
		return ToolWritten{}, 0, err
	}
	t.Rev = head.ID.String()
	in, err := read()
	if err != nil {
		return ToolWritten{}, 0, err
	}
	var v problem.Issues
	in = in.checked(&v, "")
	if err := v.Err(); err != nil {
		return ToolWritten{}, 0, err
	}
	c, err := s.compile(ctx, id, in)
	if err != nil {
		return ToolWritten{}, 0, err
	}
	if len(c.errors) > 0 {
		return ToolWritten{}, 0, compileFailed(id, c.errors)
	}
	crash.Point("agent.compiled", head.ID)
	revision, changed, err := s.edit(
		ctx,
		t,
		"Tool of a draft written",
		func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error) {
			c.row.RevisionID = draft.ID
			n, err := s.queries(ctx).PutTool(ctx, c.row)
			if err != nil {
				return nil, fmt.Errorf("write a tool: %w", err)
			}
			if n == 0 {
				return nil, nil
			}
			if err := s.addAuthor(ctx, draft.ID, id); err != nil {
				return nil, err
			}
			crash.Point("agent.tool-written", draft.ID)
			var fields audit.Fields
			fields.Compare("tool", "", id)
			return fields, permitSecrets(principal.FromContext(ctx), "write a tool of a revision that names secrets", len(draft.Secrets) > 0)
		},
	)
	return ToolWritten{
		Written:      Written{OK: true, Changed: changed},
		ToolID:       id,
		Capabilities: c.capabilities,
		Warnings:     c.warnings,
	}, revision, err
}

// DeleteTool deletes a tool of a draft with its data. A second call finds none.
func (s *service) DeleteTool(ctx context.Context, t Target, id string) (ToolRemoved, int64, error) {
	revision, _, err := s.edit(
		ctx,
		t,
		"Tool of a draft removed",
		func(ctx context.Context, draft agentdb.LockRevisionRow) (audit.Fields, error) {
			n, err := s.queries(ctx).DeleteTool(ctx, agentdb.DeleteToolParams{RevisionID: draft.ID, ID: id})
			if err != nil {
				return nil, fmt.Errorf("remove a tool: %w", err)
			}
			if n == 0 {
				return nil, missingTool(id)
			}
			if err := s.pruneAuthors(ctx, draft.ID); err != nil {
				return nil, err
			}
			var fields audit.Fields
			fields.Compare("tool", id, "")
			return fields, nil
		},
	)
	return ToolRemoved{OK: true, ToolID: id}, revision, err
}

// CheckTool compiles a tool and returns the diagnostics. It stores nothing, and the revision may be in any state.
func (s *service) CheckTool(ctx context.Context, agent, rev, id string, read func() (ToolInput, error)) (ToolChecked, error) {
	if _, err := s.precheck(
		ctx,
		Target{Agent: agent, Rev: rev},
		access.Edit,
	); err != nil &&
		(rev != newestDraft || !problem.Is(err, problem.NotFound)) {
		return ToolChecked{}, err
	} else if err != nil {
		// The draft is created when the tool is written.
		row, err := s.findAgent(ctx, agent)
		if err != nil {
			return ToolChecked{}, err
		}
		if err := kind.Sight(ctx).Permit(ctx, s.DB, row.ID, row.Name, nil, access.Edit); err != nil {
			return ToolChecked{}, hideMissing(agent, err)
		}
	}
	in, err := read()
	if err != nil {
		return ToolChecked{}, err
	}
	var v problem.Issues
	in = in.checked(&v, "")
	if err := v.Err(); err != nil {
		return ToolChecked{}, err
	}
	c, err := s.compile(ctx, id, in)
	if err != nil {
		return ToolChecked{}, err
	}
	return ToolChecked{
		OK: len(c.errors) == 0, ToolID: id, Diagnostics: append(c.errors, c.warnings...), Capabilities: c.capabilities, Checked: c.checked,
	}, nil
}
