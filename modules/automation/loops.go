package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/modules/automation/automationdb"
)

// loopResult is one iteration in the artifact of a loop.
type loopResult struct {
	Index   int32  `json:"index"`
	Status  string `json:"status"`
	Problem string `json:"problem,omitempty"`
}

// addLoops adds the artifacts of the loops of a run that have an id, by what their steps came to so far. iteration is that of
// the reader: of a loop inside another one it gets the iterations of the same outer one.
func (s *service) addLoops(
	ctx context.Context,
	id uuid.UUID,
	def *definition.Definition,
	iteration string,
	byStep map[string]map[string]json.RawMessage,
) error {
	for path, step := range definition.Steps(def) {
		if step.Repeat == nil || step.ID == "" {
			continue
		}
		depth, outer := strings.Count(path, ".repeat."), ""
		if depth > 0 {
			parts := strings.Split(iteration, ".")
			if iteration == "" || len(parts) < depth {
				continue
			}
			outer = strings.Join(parts[:depth], ".") + "."
		}
		rows, err := s.queries(ctx).LoopResults(ctx, automationdb.LoopResultsParams{
			Depth: int32(depth + 1), RunID: id, Inside: path + ".repeat.sequence", OuterIteration: outer,
		})
		if err != nil {
			return fmt.Errorf("read the iterations of %s: %w", path, err)
		}
		if len(rows) == 0 {
			continue
		}
		loop := struct {
			Iterations int          `json:"iterations"`
			Failed     int          `json:"failed"`
			Results    []loopResult `json:"results"`
		}{Iterations: len(rows), Results: make([]loopResult, len(rows))}
		for n, r := range rows {
			loop.Results[n] = loopResult{r.Index, "success", ""}
			if r.Failed {
				loop.Failed++
				loop.Results[n] = loopResult{r.Index, "failed", r.Problem}
			}
		}
		data, err := json.Marshal(loop)
		if err != nil {
			return fmt.Errorf("write the iterations of %s: %w", path, err)
		}
		if byStep[step.ID] == nil {
			byStep[step.ID] = map[string]json.RawMessage{}
		}
		byStep[step.ID][definition.ArtifactLoop] = data
	}
	return nil
}
