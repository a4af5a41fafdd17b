package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/automation/expression"
	"countersign/check/health"
	"countersign/internal/problem"
	"countersign/modules/automation/automationdb"
)

// scopeOf reads what expressions of a run see: all roots but health and state.
func (s *service) scopeOf(ctx context.Context, id uuid.UUID, iteration string) (expression.Scope, error) {
	row, err := s.queries(ctx).Run(ctx, id)
	if err != nil {
		return expression.Scope{}, fmt.Errorf("read run %s: %w", id, err)
	}
	return s.scope(ctx, row, "", iteration)
}

// scope reads what an expression at a path sees.
func (s *service) scope(ctx context.Context, row automationdb.AutomationRun, path, iteration string) (expression.Scope, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return expression.Scope{}, fmt.Errorf("read the clock: %w", err)
	}
	artifacts, err := s.queries(ctx).Artifacts(ctx, row.ID)
	if err != nil {
		return expression.Scope{}, fmt.Errorf("read artifacts of run %s: %w", row.ID, err)
	}
	byStep := map[string]map[string]json.RawMessage{}
	for _, a := range artifacts {
		if byStep[a.StepID] == nil {
			byStep[a.StepID] = map[string]json.RawMessage{}
		}
		byStep[a.StepID][a.Type] = a.Data
	}
	def, err := s.definitionOf(ctx, row.AutomationID, row.Revision)
	if err != nil {
		return expression.Scope{}, err
	}
	if err := s.addLoops(ctx, row.ID, def, iteration, byStep); err != nil {
		return expression.Scope{}, err
	}
	scope := expression.Scope{Trigger: row.Trigger, Var: row.Vars, Now: now}
	if scope.Artifacts, err = json.Marshal(byStep); err != nil {
		return scope, fmt.Errorf("write artifacts of run %s: %w", row.ID, err)
	}
	if scope.Automation, err = json.Marshal(map[string]any{"id": row.AutomationID, "runId": row.ID}); err != nil {
		return scope, fmt.Errorf("write run %s: %w", row.ID, err)
	}
	scope.Repeat, err = s.repeat(ctx, row.ID, path, iteration)
	return scope, err
}

// repeat is the root repeat at a path: the index of the innermost loop, and its item where it has a list.
func (s *service) repeat(ctx context.Context, id uuid.UUID, path, iteration string) (json.RawMessage, error) {
	if iteration == "" {
		return nil, nil
	}
	outer, last := "", iteration
	if i := strings.LastIndexByte(iteration, '.'); i >= 0 {
		outer, last = iteration[:i], iteration[i+1:]
	}
	index, err := strconv.Atoi(last)
	if err != nil {
		return nil, fmt.Errorf("iteration %q of run %s is no number", iteration, id)
	}
	root := map[string]any{"index": index}
	if i := strings.LastIndex(path, ".repeat."); i >= 0 {
		loop, err := s.queries(ctx).Step(ctx, automationdb.StepParams{RunID: id, Path: path[:i], Iteration: outer, Attempt: 1})
		if err != nil {
			return nil, fmt.Errorf("read the loop of %s: %w", path, err)
		}
		var out looked
		if len(loop.Output) > 0 && json.Unmarshal(loop.Output, &out) == nil && index < len(out.List) {
			root["item"] = out.List[index]
		}
	}
	return json.Marshal(root)
}

// systemsOf are the systems whose health a definition reads: that of the trigger, and those that it names.
func systemsOf(def *definition.Definition, trigger json.RawMessage) (of *uuid.UUID, all []uuid.UUID) {
	var t struct {
		Subject string `json:"subject"`
		Payload struct {
			SystemID *uuid.UUID `json:"systemId"`
		} `json:"payload"`
	}
	all = slices.Clone(def.UsesState)
	if json.Unmarshal(trigger, &t) != nil {
		return nil, all
	}
	of = t.Payload.SystemID
	if id, ok := strings.CutPrefix(t.Subject, health.SubjectSystem+":"); ok {
		if system, err := uuid.Parse(id); err == nil {
			of = &system
		}
	}
	if of != nil {
		all = append(all, *of)
	}
	return of, all
}

// health adds the roots health and state.
func (s *service) health(ctx context.Context, def *definition.Definition, scope expression.Scope) (expression.Scope, error) {
	of, ids := systemsOf(def, scope.Trigger)
	if len(ids) == 0 || s.Health == nil {
		return scope, nil
	}
	systems, err := s.Health.Systems(ctx, ids)
	if err != nil {
		return scope, fmt.Errorf("read the health of systems: %w", err)
	}
	root := map[string]any{"systems": systems}
	if of != nil {
		if own, ok := systems[*of]; ok {
			root["system"] = own
		}
	}
	states := map[string]string{}
	for id, system := range systems {
		states[id.String()] = system.Status
	}
	if scope.Health, err = json.Marshal(root); err != nil {
		return scope, fmt.Errorf("write health: %w", err)
	}
	if scope.State, err = json.Marshal(map[string]any{"system": states}); err != nil {
		return scope, fmt.Errorf("write states: %w", err)
	}
	return scope, nil
}

// verdict is whether a condition holds, and what it saw.
type verdict struct {
	holds bool
	why   string
	saw   map[string]json.RawMessage
}

// holds evaluates a condition. An expression that fails is a problem of the definition or of the data.
func (s *service) holds(ctx context.Context, c definition.Condition, scope expression.Scope) (verdict, error) {
	switch {
	case c.And != nil:
		return s.allHold(ctx, c.And, scope)
	case c.Or != nil:
		return s.anyHolds(ctx, c.Or, scope)
	case c.Not != nil:
		v, err := s.holds(ctx, *c.Not, scope)
		v.holds = !v.holds
		if !v.holds {
			v.why = "What must not hold does."
		}
		return v, err
	case c.Numeric != nil:
		return inRange(ctx, *c.Numeric, scope)
	case c.Time != nil:
		if inWindow(*c.Time, scope.Now) {
			return verdict{holds: true}, nil
		}
		return verdict{why: "It was " + scope.Now.UTC().Format(time.RFC3339) + "."}, nil
	case c.State != nil:
		return s.state(ctx, *c.State, scope)
	default:
		holds, err := expression.Bool(ctx, c.Expression, scope)
		v := verdict{holds: holds}
		if err == nil && !holds {
			v.saw = expression.Explain(ctx, c.Expression, scope)
			v.why = sawText(v.saw)
		}
		return v, err
	}
}

// allHold evaluates conditions until one does not hold.
func (s *service) allHold(ctx context.Context, parts []definition.Condition, scope expression.Scope) (verdict, error) {
	for _, part := range parts {
		if v, err := s.holds(ctx, part, scope); err != nil || !v.holds {
			return v, err
		}
	}
	return verdict{holds: true}, nil
}

// anyHolds evaluates conditions until one holds.
func (s *service) anyHolds(ctx context.Context, parts []definition.Condition, scope expression.Scope) (verdict, error) {
	all := verdict{saw: map[string]json.RawMessage{}}
	for _, part := range parts {
		v, err := s.holds(ctx, part, scope)
		if err != nil || v.holds {
			return v, err
		}
		all.why += v.why + " "
		maps.Copy(all.saw, v.saw)
	}
	all.why = strings.TrimSpace(all.why)
	return all, nil
}

// inRange evaluates a condition on a number.
func inRange(ctx context.Context, c definition.NumericCondition, scope expression.Scope) (verdict, error) {
	n, isNumber, err := expression.Number(ctx, c.Value, scope)
	v := verdict{saw: expression.Explain(ctx, c.Value, scope)}
	v.holds = isNumber && (c.Above == nil || n > *c.Above) && (c.Below == nil || n < *c.Below)
	switch {
	case !isNumber:
		v.why = c.Value + " is no number."
	case !v.holds:
		v.why = fmt.Sprintf("%s is %v.", c.Value, n)
	}
	return v, err
}

// sawText says what a false condition saw.
func sawText(saw map[string]json.RawMessage) string {
	var parts []string
	for path, value := range saw {
		parts = append(parts, path+" was "+string(value))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return ""
	}
	return short(strings.Join(parts, ", ")) + "."
}

// state evaluates a condition on the status of a system.
func (s *service) state(ctx context.Context, c definition.StateCondition, scope expression.Scope) (verdict, error) {
	entity, err := filled(ctx, c.Entity, scope)
	if err != nil {
		return verdict{}, err
	}
	id, err := uuid.Parse(strings.TrimPrefix(entity, health.SubjectSystem+":"))
	if err != nil {
		return verdict{}, problem.Errorf(problem.Invalid, "The entity of the state condition is no system: %s", entity)
	}
	systems, err := s.Health.Systems(ctx, []uuid.UUID{id})
	if err != nil {
		return verdict{}, fmt.Errorf("read the health of a system: %w", err)
	}
	system, known := systems[id]
	switch {
	case !known:
		return verdict{why: "There is no system " + id.String() + "."}, nil
	case system.Status != c.Status:
		return verdict{why: fmt.Sprintf("%s was %s.", system.Name, system.Status)}, nil
	case time.Duration(system.InStatusForMs)*time.Millisecond < time.Duration(c.For):
		return verdict{why: fmt.Sprintf("%s was %s for %d s only.", system.Name, system.Status, system.InStatusForMs/1000)}, nil
	default:
		return verdict{holds: true}, nil
	}
}

// maxReason bounds reasons, in characters.
const maxReason = 300

// short cuts a sentence to the length of a reason.
func short(text string) string {
	if r := []rune(text); len(r) > maxReason {
		return string(r[:maxReason-1]) + "…"
	}
	return text
}

// conditionAt finds a condition that the workflow asks about: that of a step, or of a loop.
func conditionAt(def *definition.Definition, path string) (*definition.Step, *definition.Condition) {
	if loop, ok := strings.CutSuffix(path, ".repeat.while"); ok {
		if step, found := definition.At(def, loop); found {
			return step, step.Repeat.While
		}
		return nil, nil
	}
	if loop, ok := strings.CutSuffix(path, ".repeat.until"); ok {
		if step, found := definition.At(def, loop); found {
			return step, step.Repeat.Until
		}
		return nil, nil
	}
	step, found := definition.At(def, path)
	if !found {
		return nil, nil
	}
	return step, step.Condition
}
