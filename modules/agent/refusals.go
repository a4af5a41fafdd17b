package agent

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
	"countersign/script/typescript"
)

// documentRefusal adds an error response with further members to an operation.
func documentRefusal[T any](api huma.API, code problem.Code) rest.Option {
	return func(op *huma.Operation) {
		if op.Responses == nil {
			op.Responses = map[string]*huma.Response{}
		}
		op.Responses[strconv.Itoa(code.Status())] = refusal(api, code.Title(), reflect.TypeFor[T]())
		op.Responses["default"] = refusal(api, "Error", reflect.TypeFor[problem.Error]())
	}
}

func refusal(api huma.API, description string, body reflect.Type) *huma.Response {
	schema := api.OpenAPI().Components.Schemas.Schema(body, true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/problem+json": {Schema: schema}}}
}

func draftRefusal(api huma.API) rest.Option {
	return documentRefusal[draftProblem](api, problem.Conflict)
}

func toolRefusals(api huma.API) rest.Option {
	return combine(draftRefusal(api), documentRefusal[toolProblem](api, problem.Invalid))
}

func bundleRefusals(api huma.API) rest.Option {
	return combine(draftRefusal(api), documentRefusal[bundleProblem](api, problem.Invalid))
}

func freezeRefusals(api huma.API) rest.Option {
	return combine(documentRefusal[freezeConflict](api, problem.Conflict), documentRefusal[freezeProblem](api, problem.Invalid))
}

func combine(a, b rest.Option) rest.Option {
	return func(op *huma.Operation) { a(op); b(op) }
}

// missingAgent is the error for an agent that does not exist or that the caller may not see.
func missingAgent(ref string) error {
	return problem.Errorf(
		problem.NotFound,
		"No agent has the id or slug %s. List the agents to see what exists.",
		text.Shown(ref, 64),
	).With(
		"error",
		"agent_not_found",
	)
}

func missingRevision(ref string) error {
	if ref == newestDraft {
		return problem.Errorf(
			problem.NotFound,
			"The agent has no draft. Name one of its revisions by its number; writing a tool into draft makes one.",
		).With(
			"error",
			"revision_not_found",
		)
	}
	return problem.Errorf(
		problem.NotFound,
		"The agent has no revision with the id or number %s. List its revisions to see what exists.",
		text.Shown(ref, 36),
	).With(
		"error",
		"revision_not_found",
	)
}

func missingTool(id string) error {
	return problem.Errorf(
		problem.NotFound,
		"The revision has no tool %s. Read its bundle to see what it has.",
		text.Shown(id, 64),
	).With(
		"error",
		"tool_not_found",
	).With(
		"tool_id",
		id,
	)
}

func missingSkill(id string) error {
	return problem.Errorf(
		problem.NotFound,
		"The revision has no skill %s. Read its bundle to see what it has.",
		text.Shown(id, 64),
	).With(
		"error",
		"skill_not_found",
	)
}

// notDraft is the error for a write to a sealed bundle.
func notDraft(state State) error {
	return problem.Errorf(
		problem.Conflict,
		"The revision is %s, and only a draft can be written. Create a draft from it and change that.",
		state,
	).
		With(
			"error",
			"revision_not_draft",
		).With(
		"state",
		state,
	)
}

// compileFailed is the error for a tool with compile errors.
func compileFailed(id string, found []typescript.ToolDiagnostic) error {
	return problem.InvalidInput(
		fmt.Sprintf("The tool %s has errors, and nothing was written: %s", id, firstOf(found)),
		issuesOf("source", found)...).
		With(
			"error",
			"tool_compile_failed",
		).With(
		"tool_id",
		id,
	).With(
		"errors",
		found,
	)
}

// notRunnable is the error for a dry run of a tool with compile errors.
func notRunnable(id string, found []typescript.ToolDiagnostic) error {
	return problem.InvalidInput(fmt.Sprintf("The tool %s has errors, and was not run: %s", id, firstOf(found)), issuesOf("source", found)...).
		With("error", "tool_compile_failed").With("tool_id", id).With("errors", found)
}

// bundleFailed is the error for a bundle with tools that do not compile.
func bundleFailed(tools []ToolErrors) error {
	first := tools[0]
	return problem.InvalidInput(
		fmt.Sprintf("%d tools have errors, and nothing was written; the first is %s: %s", len(tools), first.ToolID, firstOf(first.Errors)),
		issuesOf("tools."+first.ToolID, first.Errors)...).With(
		"error",
		"tool_compile_failed",
	).With(
		"tools",
		tools,
	)
}

// freezeFailed is the error for freezing a revision with errors.
func freezeFailed(v Verdict) error {
	return problem.InvalidInput("The revision was not frozen: "+v.Errors[0].Message).With("error", "validation_failed").With("report", v)
}

func firstOf(found []typescript.ToolDiagnostic) string {
	if len(found) == 0 {
		return "it cannot be compiled."
	}
	return fmt.Sprintf("line %d: %s", found[0].Line, found[0].Message)
}

// maxIssues limits the diagnostics repeated as issues, for clients that do not know the tool members.
const maxIssues = 20

func issuesOf(path string, found []typescript.ToolDiagnostic) []problem.Issue {
	issues := make([]problem.Issue, 0, min(len(found), maxIssues))
	for _, d := range found[:min(len(found), maxIssues)] {
		issues = append(issues, problem.Issue{Path: path, Message: fmt.Sprintf("line %d: %s", d.Line, d.Message)})
	}
	return issues
}

// permitSecrets checks that the caller may decide about named secrets.
func permitSecrets(p principal.Principal, action string, named bool) error {
	if missing := p.Missing(secretRead); named && len(missing) > 0 {
		return problem.MissingRule(action, missing...)
	}
	return nil
}
