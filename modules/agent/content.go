package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
	"countersign/script/typescript"
)

// errRowMissing is the error for a locked row that is missing.
var errRowMissing = errors.New("the row is gone")

// content is a consistent snapshot of a stored bundle.
type content struct {
	id       uuid.UUID
	number   int
	state    State
	sha256   string
	revision int64
	agentMD  string
	spec     Spec
	secrets  []string
	tools    []agentdb.AgentTool
	skills   []agentdb.AgentSkill
}

// maxLoadAttempts is the number of attempts to read a consistent bundle.
const maxLoadAttempts = 5

// load reads a bundle without locks (optimistic concurrency): it reads again if the bundle was written meanwhile.
func (s *service) load(ctx context.Context, id uuid.UUID) (content, error) {
	q := s.queries(ctx)
	for range maxLoadAttempts {
		row, err := q.RevisionContent(ctx, id)
		if store.NoRows(err) {
			return content{}, missingRevision(id.String())
		}
		if err != nil {
			return content{}, fmt.Errorf("read a revision: %w", err)
		}
		c := content{id: id, number: int(row.Number), state: State(row.State), revision: row.Revision, agentMD: row.AgentMd, secrets: row.Secrets}
		if row.BundleSha256 != nil {
			c.sha256 = *row.BundleSha256
		}
		if c.spec, err = specOf(row.Spec); err != nil {
			return content{}, err
		}
		if c.tools, err = q.Tools(ctx, id); err != nil {
			return content{}, fmt.Errorf("read tools: %w", err)
		}
		if c.skills, err = q.Skills(ctx, id); err != nil {
			return content{}, fmt.Errorf("read skills: %w", err)
		}
		if again, err := q.RevisionVersion(ctx, id); err == nil && again == row.Revision {
			return c, nil
		}
	}
	return content{}, problem.Errorf(problem.Busy, "The revision is being written by others. Try again.")
}

// file is a file of a bundle. Generated files derive from others.
type file struct {
	path      string
	data      []byte
	generated bool
}

// schemaFile is the content of tools/<id>/schema.json.
type schemaFile struct {
	Description string          `json:"description"`
	ArgsSchema  json.RawMessage `json:"args_schema"`
	Effect      Effect          `json:"effect"`
}

// files returns the files of a bundle, by path.
func (c content) files() ([]file, error) {
	spec, err := c.spec.json()
	if err != nil {
		return nil, err
	}
	list := []file{{path: "agent.md", data: []byte(c.agentMD)}, {path: "spec.json", data: spec}}
	for _, skill := range c.skills {
		description, err := json.Marshal(map[string]string{"description": skill.Description})
		if err != nil {
			return nil, fmt.Errorf("write a skill: %w", err)
		}
		at := "skills/" + skill.ID + "/"
		list = append(list, file{path: at + "SKILL.md", data: []byte(skill.Content)}, file{path: at + "skill.json", data: description})
	}
	for _, t := range c.tools {
		schema, err := json.Marshal(schemaFile{t.Description, t.ArgsSchema, Effect(t.Effect)})
		if err != nil {
			return nil, fmt.Errorf("write a schema: %w", err)
		}
		at := "tools/" + t.ID + "/"
		list = append(
			list,
			file{
				path: at + "source.ts",
				data: []byte(t.Source),
			},
			file{path: at + "schema.json", data: schema},
			file{path: at + "examples.json", data: t.Examples},
			file{
				path:      at + "capabilities.json",
				data:      t.Capabilities,
				generated: true,
			},
			file{path: at + "compiled.js", data: []byte(t.CompiledJs), generated: true},
			file{path: at + "compiled.js.map", data: t.SourceMap, generated: true},
		)
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// hash is the SHA-256 over path, NUL, SHA-256 of the content and NUL of each file by path: equal bundles have equal
// hashes.
func hash(files []file) string {
	h := sha256.New()
	for _, f := range files {
		_, _ = fmt.Fprintf(h, "%s\x00%s\x00", f.path, sha(f.data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// compiled is a compiled tool with the compiler's diagnostics.
type compiled struct {
	row          agentdb.PutToolParams
	capabilities typescript.Capabilities
	warnings     []typescript.ToolDiagnostic
	errors       []typescript.ToolDiagnostic
	checked      bool
}

// compile compiles a tool to its stored form. Errors in the source are diagnostics, not an error; row must not be
// stored then.
func (s *service) compile(ctx context.Context, id string, in ToolInput) (compiled, error) {
	if s.Compiler == nil {
		return compiled{}, problem.Errorf(problem.Unavailable, "This process cannot compile tools.")
	}
	if d, refused := typescript.Refused(in.Source); refused {
		found := []typescript.ToolDiagnostic{d}
		return compiled{capabilities: withoutNilLists(typescript.Capabilities{}), warnings: []typescript.ToolDiagnostic{}, errors: found}, nil
	}
	who := principal.FromContext(ctx).Key()
	leave, err := s.queue.enter(ctx, who, s.DB.InTransaction(ctx))
	if err != nil {
		return compiled{}, err
	}
	var out typescript.CompiledTool
	defer func() {
		took := out.Took
		if ctx.Err() != nil {
			// The compiler continues with the source after its author has disconnected.
			took = abandonedUse
		}
		s.queue.addUse(who, took)
		leave()
	}()
	out, err = s.Compiler.CompileTool(ctx, typescript.ToolSource{ID: id, Author: who, Source: in.Source, ArgsSchema: in.ArgsSchema})
	if err != nil {
		return compiled{}, fmt.Errorf("compile a tool: %w", err)
	}
	c := compiled{
		capabilities: withoutNilLists(out.Capabilities),
		warnings:     []typescript.ToolDiagnostic{},
		errors:       []typescript.ToolDiagnostic{},
		checked:      out.Checked,
	}
	for _, d := range out.Diagnostics {
		if d.Severity == typescript.Error {
			c.errors = append(c.errors, d)
		} else {
			c.warnings = append(c.warnings, d)
		}
	}
	if len(c.errors) > 0 {
		return c, nil
	}
	if out.JS == "" || strings.ContainsRune(out.JS, 0) {
		return compiled{}, fmt.Errorf("compile the tool %s: no JavaScript without an error", id)
	}
	capabilities, err := json.Marshal(c.capabilities)
	if err != nil {
		return compiled{}, fmt.Errorf("write capabilities: %w", err)
	}
	c.row = agentdb.PutToolParams{
		ID:           id,
		Description:  in.Description,
		ArgsSchema:   in.ArgsSchema,
		Effect:       string(in.Effect),
		Source:       in.Source,
		SourceSha256: sha([]byte(in.Source)),
		CompiledJs:   out.JS,
		SourceMap:    append([]byte{}, out.SourceMap...),
		Capabilities: capabilities,
		Compiler:     out.Compiler,
		Warnings:     c.warnings,
	}
	return c, nil
}

// withoutNilLists replaces nil lists by empty ones.
func withoutNilLists(c typescript.Capabilities) typescript.Capabilities {
	for _, list := range []*[]string{&c.SecretRefs, &c.Modules, &c.Actions} {
		if *list == nil {
			*list = []string{}
		}
	}
	return c
}

func capabilitiesOf(row agentdb.AgentTool) (typescript.Capabilities, error) {
	var c typescript.Capabilities
	if err := json.Unmarshal(row.Capabilities, &c); err != nil {
		return c, fmt.Errorf("read capabilities: %w", err)
	}
	return withoutNilLists(c), nil
}

// inputOf returns the authored parts of a stored tool.
func inputOf(row agentdb.AgentTool) ToolInput {
	return ToolInput{Description: row.Description, ArgsSchema: row.ArgsSchema, Source: row.Source, Effect: Effect(row.Effect)}
}

// toRow returns a compiled tool as a row.
func (c compiled) toRow(examples []byte) agentdb.AgentTool {
	r := c.row
	return agentdb.AgentTool{
		ID:           r.ID,
		Description:  r.Description,
		ArgsSchema:   r.ArgsSchema,
		Effect:       r.Effect,
		Source:       r.Source,
		SourceSha256: r.SourceSha256,
		CompiledJs:   r.CompiledJs,
		SourceMap:    r.SourceMap,
		Capabilities: r.Capabilities,
		Compiler:     r.Compiler,
		Warnings:     r.Warnings,
		Examples:     examples,
	}
}
