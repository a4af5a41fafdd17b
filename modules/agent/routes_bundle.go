package agent

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/script/typescript"
)

// Size limits of bodies: sources are 500,000 characters of up to four bytes, and escapes.
const (
	maxToolBody   = 3 << 20
	maxBundleBody = 8 << 20
)

func maxBody(bytes int64) rest.Option { return func(op *huma.Operation) { op.MaxBodyBytes = bytes } }

// partWrite is the input of a write of a part of a bundle. Its body is parsed once the draft is found.
type partWrite[T any] struct {
	RevisionWrite
	Body rest.Unread[T]
}

// writeHandler creates the handler of a write of a part of a bundle.
func writeHandler[T, Out any](
	api huma.API,
	do func(ctx context.Context, t Target, read func() (T, error)) (Out, int64, error),
) func(context.Context, *partWrite[T]) (*rest.Record[Out], error) {
	schemas := api.OpenAPI().Components.Schemas
	return func(ctx context.Context, in *partWrite[T]) (*rest.Record[Out], error) {
		out, revision, err := do(ctx, in.target(), func() (T, error) { return in.Body.Read(schemas) })
		return rest.Answer(out, revision, err)
	}
}

func (m *Module) bundleRoutes(api huma.API) {
	s := m.service
	huma.Register(
		api,
		rest.Op("get-agent-bundle", http.MethodGet, revisionPath+"/bundle", "Read the bundle of a revision", rest.Doc("In any state.")),
		func(ctx context.Context, in *ByRevision) (*rest.Record[BundleOf], error) {
			return rest.Show(s.Bundle(ctx, in.Agent, in.Rev))
		},
	)
	huma.Register(api, rest.Op(
		"put-agent-bundle",
		http.MethodPut,
		revisionPath+"/bundle",
		"Replace the bundle of a draft",
		writesDraft,
		maxBody(maxBundleBody),
		rest.LateBody(),
		bundleRefusals(api),
		rest.Doc(
			"agent.md, spec and all tools; skills stay. All tools are compiled before anything is written, and nothing is when one has an error.",
		),
	),
		writeHandler(api, s.PutBundle))
	huma.Register(
		api,
		rest.Op(
			"get-agent-manifest",
			http.MethodGet,
			revisionPath+"/manifest",
			"List the files of a bundle",
			rest.Doc("With their sizes and hashes."),
		),
		func(ctx context.Context, in *ByRevision) (*rest.Record[Manifest], error) {
			return rest.Show(s.Manifest(ctx, in.Agent, in.Rev))
		},
	)
	huma.Register(api, rest.Op("diff-agent-revisions", http.MethodGet, revisionPath+"/diff", "Compare two bundles",
		rest.Doc("File by file: what this revision has and the one before it, or another one, has not.")),
		func(ctx context.Context, in *struct {
			ByRevision
			Against string `query:"against" maxLength:"36" doc:"The id or the number of the other revision of the same agent; the one that this one was cloned from, or else the one before it, when absent."`
		},
		) (*rest.Body[Diff], error) {
			return rest.With(s.Diff(ctx, in.Agent, in.Rev, in.Against))
		})
	huma.Register(api, rest.Op("put-agent-md", http.MethodPut, revisionPath+"/agent_md", "Write agent.md of a draft",
		writesDraft, maxBody(maxToolBody), rest.LateBody(), draftRefusal(api)),
		writeHandler(api, s.PutAgentMD))
	huma.Register(api, rest.Op("put-agent-spec", http.MethodPut, revisionPath+"/spec", "Write the spec of a draft",
		writesDraft, rest.LateBody(), draftRefusal(api),
		rest.Doc("A spec that names secrets needs "+secretRead+" too.")),
		writeHandler(api, s.PutSpec))
	huma.Register(api, rest.Op("put-agent-skill", http.MethodPut, skillPath, "Write a skill of a draft",
		writesDraft, maxBody(maxToolBody), rest.LateBody(), draftRefusal(api)),
		func(ctx context.Context, in *struct {
			BySkill
			rest.IfMatch
			Body rest.Unread[SkillInput]
		},
		) (*rest.Record[Written], error) {
			return rest.Answer(s.PutSkill(ctx, Target{in.Agent, in.Rev, in.Revision()}, in.Skill, func() (SkillInput, error) {
				return in.Body.Read(api.OpenAPI().Components.Schemas)
			}))
		})
	huma.Register(api, rest.Op("delete-agent-skill", http.MethodDelete, skillPath, "Remove a skill of a draft",
		writesDraft, draftRefusal(api)),
		func(ctx context.Context, in *struct {
			BySkill
			rest.IfMatch
		},
		) (*struct{}, error) {
			return nil, s.DeleteSkill(ctx, Target{in.Agent, in.Rev, in.Revision()}, in.Skill)
		})
	huma.Register(
		api,
		rest.Op("validate-agent-revision", http.MethodPost, revisionPath+"/validate", "See what keeps a revision from being frozen",
			checksDraft,
			rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("Nothing is stored, and no tool is run.")),
		func(ctx context.Context, in *ByRevision) (*rest.Body[Verdict], error) {
			return rest.With(s.Validate(ctx, in.Agent, in.Rev))
		},
	)
	huma.Register(api, rest.Op(
		"freeze-agent-revision",
		http.MethodPost,
		revisionPath+"/freeze",
		"Seal a draft",
		rest.Tool("agent.freezeRevision", rest.Mutates, rest.Direct(), rest.Decided(Manage)),
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		freezeRefusals(api),
		rest.Doc(
			"Recompiles and loads every tool, runs the examples and hashes the bundle. A sealed revision returns the same "+
				"hash again. It takes at most 45 seconds: a freeze that is not done by then returns its progress, and the next "+
				"one continues from there. For owners.",
		),
	),
		func(ctx context.Context, in *RevisionWrite) (*rest.Record[Frozen], error) {
			return rest.Answer(s.Freeze(ctx, in.target()))
		})
	huma.Register(api, rest.Op(
		"clone-agent-revision",
		http.MethodPost,
		revisionPath+"/clone_from",
		"Copy a bundle into a draft",
		writesDraft,
		rest.Status(http.StatusOK),
		rest.LateBody(),
		draftRefusal(api),
		rest.Doc(
			"Replaces the draft's bundle by that of another revision, also of another agent that the caller sees. Tools of "+
				"another compiler version are recompiled. A spec that names secrets needs "+secretRead+" too.",
		),
	),
		writeHandler(api, s.CloneFrom))
}

func (m *Module) toolRoutes(api huma.API) {
	s := m.service
	schemas := api.OpenAPI().Components.Schemas
	type toolWrite struct {
		ByTool
		rest.IfMatch
		Body rest.Unread[ToolInput]
	}
	huma.Register(
		api,
		rest.Op(
			"put-agent-tool",
			http.MethodPut,
			toolPath,
			"Write a tool of a draft",
			maxBody(maxToolBody),
			rest.LateBody(),
			toolRefusals(api),
			rest.Doc(
				"It is compiled and checked; nothing is written when it has an error. The same bytes again change nothing. In a "+
					"bundle whose spec names secrets it needs "+secretRead+" too.",
			),
		),
		func(ctx context.Context, in *toolWrite) (*rest.Record[ToolWritten], error) {
			return rest.Answer(
				s.PutTool(ctx, Target{in.Agent, in.Rev, in.Revision()}, in.Tool, func() (ToolInput, error) { return in.Body.Read(schemas) }),
			)
		},
	)
	huma.Register(api, rest.Op("delete-agent-tool", http.MethodDelete, toolPath, "Remove a tool of a draft",
		writesDraft, rest.Status(http.StatusOK), draftRefusal(api),
		rest.Doc("With everything that is kept of it.")),
		func(ctx context.Context, in *struct {
			ByTool
			rest.IfMatch
		},
		) (*rest.Record[ToolRemoved], error) {
			return rest.Answer(s.DeleteTool(ctx, Target{in.Agent, in.Rev, in.Revision()}, in.Tool))
		})
	huma.Register(api, rest.Op("check-agent-tool", http.MethodPost, toolPath+"/check", "See what is wrong with a tool",
		checksDraft, maxBody(maxToolBody),
		rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.LateBody(), rest.Doc("The same as writing it would say. Nothing is stored.")),
		func(ctx context.Context, in *struct {
			ByTool
			Body rest.Unread[ToolInput]
		},
		) (*rest.Body[ToolChecked], error) {
			return rest.With(s.CheckTool(ctx, in.Agent, in.Rev, in.Tool, func() (ToolInput, error) { return in.Body.Read(schemas) }))
		})
}

// ToolErrors are the errors of one tool of several.
type ToolErrors struct {
	ToolID string                      `json:"tool_id"`
	Errors []typescript.ToolDiagnostic `json:"errors" nullable:"false"`
}

// Problem documents with further members.
type (
	draftProblem struct {
		problem.Document
		Error string `json:"error,omitempty" enum:"revision_not_draft" doc:"What clients may switch on"`
		State State  `json:"state,omitempty" enum:"draft,ready,live,archived" doc:"Of the revision"`
	}
	toolProblem struct {
		problem.Document
		Error  string                      `json:"error,omitempty" enum:"tool_compile_failed" doc:"What clients may switch on"`
		ToolID string                      `json:"tool_id,omitempty"`
		Errors []typescript.ToolDiagnostic `json:"errors,omitempty" nullable:"false"`
	}
	bundleProblem struct {
		problem.Document
		Error string       `json:"error,omitempty" enum:"tool_compile_failed" doc:"What clients may switch on"`
		Tools []ToolErrors `json:"tools,omitempty" nullable:"false"`
	}
	freezeConflict struct {
		problem.Document
		Error    string    `json:"error,omitempty" enum:"freeze_unfinished" doc:"What clients may switch on. freeze_unfinished: it took too long, and the next freeze goes on from there"`
		Progress *Progress `json:"progress,omitempty" doc:"How far it came"`
	}
	freezeProblem struct {
		problem.Document
		Error  string   `json:"error,omitempty" enum:"validation_failed" doc:"What clients may switch on"`
		Report *Verdict `json:"report,omitempty"`
	}
)
