package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/modules/agent/agentdb"
	"countersign/problem"
)

// freezeTime is how long a freeze may take. A call of a tool with the longest timeout has room in it, so each freeze gets on.
const freezeTime = 45 * time.Second

// errFreezeTime ends the work of a freeze that takes longer.
var errFreezeTime = errors.New("the freeze has used its time")

// outOfTime reports whether it is a freeze's own time that has ended ctx.
func outOfTime(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errFreezeTime) }

// Progress is how far a freeze came.
type Progress struct {
	Tools        int `json:"tools" doc:"How many tools the revision has."`
	ToolsDone    int `json:"tools_done" doc:"How many of them were compiled and loaded."`
	Examples     int `json:"examples" doc:"How many examples its tools have."`
	ExamplesDone int `json:"examples_done" doc:"How many of them were run."`
}

// trials are what freezing a revision has found in order. Where it runs out of time, the next freeze does not do it again, for an hour.
type trials struct {
	*service

	revision uuid.UUID
	known    map[[sha256.Size]byte]bool
	found    [][]byte
	progress Progress
}

func (s *service) trials(ctx context.Context, c content) (*trials, error) {
	hashes, err := s.queries(ctx).Trials(ctx, c.id)
	if err != nil {
		return nil, fmt.Errorf("list trials: %w", err)
	}
	t := &trials{service: s, revision: c.id, known: make(map[[sha256.Size]byte]bool, len(hashes))}
	for _, h := range hashes {
		t.known[[sha256.Size]byte(h)] = true
	}
	t.progress.Tools = len(c.tools)
	for _, tool := range c.tools {
		examples, err := examplesOf(tool)
		if err != nil {
			return nil, err
		}
		t.progress.Examples += len(examples)
	}
	return t, nil
}

// once does what was not found in order before. do reports whether it is now; key is all that this depends on.
func (t *trials) once(ctx context.Context, key any, do func() (bool, error)) error {
	data, err := json.Marshal(key)
	if err != nil {
		return fmt.Errorf("hash a trial: %w", err)
	}
	hash := sha256.Sum256(data)
	if t.known[hash] {
		return nil
	}
	if outOfTime(ctx) {
		return errFreezeTime
	}
	ok, err := do()
	switch {
	case err != nil && outOfTime(ctx):
		return errFreezeTime
	case err != nil || !ok:
		return err
	}
	t.known[hash] = true
	t.found = append(t.found, hash[:])
	return nil
}

// compiled compiles a tool anew. One that an earlier freeze has compiled to what is stored is that.
func (t *trials) compiled(ctx context.Context, row agentdb.AgentTool) (made compiled, err error) {
	if made, err = storedAs(row); err != nil {
		return made, err
	}
	key := []any{"compiled", t.CompilerID, made.row}
	err = t.once(ctx, key, func() (bool, error) {
		again, err := t.compile(ctx, row.ID, inputOf(row))
		if err != nil {
			return false, err
		}
		same := len(again.errors) == 0 && sameCompiled(again.row, made.row)
		made = again
		return same, nil
	})
	return made, err
}

// storedAs is a stored tool as the compiler made it.
func storedAs(row agentdb.AgentTool) (compiled, error) {
	capabilities, err := capabilitiesOf(row)
	if err != nil {
		return compiled{}, err
	}
	return compiled{row: putParams(uuid.Nil, row), capabilities: capabilities, warnings: row.Warnings}, nil
}

func sameCompiled(a, b agentdb.PutToolParams) bool {
	return a.CompiledJs == b.CompiledJs && string(a.SourceMap) == string(b.SourceMap) && string(a.Capabilities) == string(b.Capabilities) &&
		slices.Equal(a.Warnings, b.Warnings) && a.Compiler == b.Compiler && a.SourceSha256 == b.SourceSha256
}

// unfinished is the answer to a freeze that has used its time. What it has found is kept for the next one.
func (t *trials) unfinished(ctx context.Context) error {
	if err := t.queries(
		ctx,
	).AddTrials(
		ctx,
		agentdb.AddTrialsParams{RevisionID: t.revision, Hashes: append([][]byte{}, t.found...)},
	); err != nil {
		return fmt.Errorf("keep trials: %w", err)
	}
	p := t.progress
	return problem.Errorf(
		problem.Busy,
		"Freezing took too long and stopped: %d of %d tools are compiled and loaded, and %d of %d examples have run. Freeze again to go on from there.",
		p.ToolsDone,
		p.Tools,
		p.ExamplesDone,
		p.Examples,
	).With(
		"error",
		"freeze_unfinished",
	).With(
		"progress",
		p,
	)
}
