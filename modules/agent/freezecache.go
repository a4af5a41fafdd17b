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

	"countersign/internal/problem"
	"countersign/modules/agent/agentdb"
)

// freezeTime bounds a freeze. A call with the longest timeout fits, so each freeze makes progress.
const freezeTime = 45 * time.Second

// errFreezeTime is the cause when a freeze exceeds its time.
var errFreezeTime = errors.New("the freeze has used its time")

// isOutOfTime reports whether ctx ended because the freeze exceeded its time.
func isOutOfTime(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errFreezeTime) }

// Progress is the progress of a freeze.
type Progress struct {
	Tools        int `json:"tools" doc:"How many tools the revision has."`
	ToolsDone    int `json:"tools_done" doc:"How many of them were compiled and loaded."`
	Examples     int `json:"examples" doc:"How many examples its tools have."`
	ExamplesDone int `json:"examples_done" doc:"How many of them were run."`
}

// freezeCache caches the successful checks of a freeze. A freeze that runs out of time leaves them to the next one, for an
// hour.
type freezeCache struct {
	*service

	revision uuid.UUID
	known    map[[sha256.Size]byte]bool
	passed   [][]byte
	progress Progress
}

func (s *service) newFreezeCache(ctx context.Context, c content) (*freezeCache, error) {
	hashes, err := s.queries(ctx).Trials(ctx, c.id)
	if err != nil {
		return nil, fmt.Errorf("list trials: %w", err)
	}
	t := &freezeCache{service: s, revision: c.id, known: make(map[[sha256.Size]byte]bool, len(hashes))}
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

// runOnce runs a check unless an earlier freeze has passed it. do reports success; key holds all its inputs.
func (t *freezeCache) runOnce(ctx context.Context, key any, do func() (bool, error)) error {
	data, err := json.Marshal(key)
	if err != nil {
		return fmt.Errorf("hash a trial: %w", err)
	}
	hash := sha256.Sum256(data)
	if t.known[hash] {
		return nil
	}
	if isOutOfTime(ctx) {
		return errFreezeTime
	}
	ok, err := do()
	switch {
	case err != nil && isOutOfTime(ctx):
		return errFreezeTime
	case err != nil || !ok:
		return err
	}
	t.known[hash] = true
	t.passed = append(t.passed, hash[:])
	return nil
}

// recompile recompiles a tool, unless an earlier freeze compiled it to the stored form.
func (t *freezeCache) recompile(ctx context.Context, row agentdb.AgentTool) (made compiled, err error) {
	if made, err = compiledOf(row); err != nil {
		return made, err
	}
	key := []any{"compiled", t.CompilerID, made.row}
	err = t.runOnce(ctx, key, func() (bool, error) {
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

// compiledOf returns a stored tool as compiler output.
func compiledOf(row agentdb.AgentTool) (compiled, error) {
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

// saveProgress stores the passed checks for the next freeze and returns the error of one that exceeded its time.
func (t *freezeCache) saveProgress(ctx context.Context) error {
	if err := t.queries(
		ctx,
	).AddTrials(
		ctx,
		agentdb.AddTrialsParams{RevisionID: t.revision, Hashes: append([][]byte{}, t.passed...)},
	); err != nil {
		return fmt.Errorf("keep trials: %w", err)
	}
	p := t.progress
	return problem.Errorf(
		problem.Busy,
		"Freezing took too long and stopped: %d of %d tools are compiled and loaded, and %d of %d examples have run. "+
			"Freeze again to go on from there.",
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
