package definition

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"countersign/automation/expression"
)

func isUUID(text string) bool { return uuid.Validate(text) == nil }

// checkSteps checks a sequence, and answers what is known after it.
func (c *compiler) checkSteps(path string, list []Step, f flow) flow {
	warned := false
	for i := range list {
		at := element(path, i)
		if f.ended && !warned {
			warned = true
			c.add(at, "This step is never reached: the steps before end the run.").Warning = true
		}
		f = c.checkStep(at, &list[i], f)
	}
	return f
}

// checkStep checks a step, and answers what is known after it.
func (c *compiler) checkStep(path string, s *Step, f flow) flow {
	before := f.clone()
	after := c.checkKind(path, s, f.clone())
	own := map[string]availability{}
	if s.ID != "" {
		possible := map[string]availability{}
		for name, of := range c.produced[s.ID] {
			own[name], possible[name] = availability{of: of, sure: true}, availability{of: of}
		}
		after.artifacts[s.ID] = own
		if s.Enabled {
			c.all.artifacts[s.ID] = possible
		}
	}
	if len(s.Undo) > 0 {
		c.checkSteps(join(path, "undo"), s.Undo, after.clone())
	}
	if !s.Enabled {
		return before
	}
	if s.ContinueOnError {
		ended := after.ended
		out := after.unsure(before, fmt.Sprintf("is missing where the step %s failed", name(s, path)))
		out.facts, out.ended = before.facts, ended && s.Kind() == KindStop
		if s.ID != "" {
			own = maps.Clone(out.artifacts[s.ID])
			own[ArtifactResult] = availability{of: c.produced[s.ID][ArtifactResult], sure: true}
			out.artifacts[s.ID] = own
		}
		return out
	}
	return after
}

func name(s *Step, path string) string {
	if s.ID != "" {
		return s.ID
	}
	return path
}

func (c *compiler) checkKind(path string, s *Step, f flow) flow {
	switch s.Kind() {
	case KindChoose:
		return c.checkChoose(path, s, f)
	case KindParallel:
		out := f.clone()
		for i := range s.Parallel.Branches {
			at := element(join(path, "parallel.branches"), i)
			if len(s.Parallel.Branches) > 1 {
				c.warnShared(at, &s.Parallel.Branches[i])
			}
			out = out.both(c.checkStep(at, &s.Parallel.Branches[i], f.clone()))
		}
		return out
	case KindSequence:
		return c.checkSteps(join(path, "sequence"), s.Sequence, f)
	case KindDelay:
		c.checkDelay(path, s, f)
	case KindRepeat:
		return c.checkRepeat(path, s.Repeat, f)
	case KindVariables:
		c.setVariables(path, s, f)
	case KindCondition:
		f.facts = f.facts.And(c.checkCondition(join(path, "condition"), s.Condition, f))
	case KindStop:
		_, _, problems := expression.CheckTemplate(s.Stop.Reason, c.types(f))
		at := join(path, "stop.reason")
		if c.places[at] == nil {
			at = join(path, "stop")
		}
		c.report(at, problems)
		f.ended = true
	case KindWaitFor:
		c.checkWaitFor(path, s.WaitFor, f)
	case KindWaitUntil:
		known := c.checkCondition(join(path, "wait_until.condition"), &s.WaitUntil.Condition, f)
		if !s.WaitUntil.ContinueOnTimeout {
			f.facts = f.facts.And(known)
		}
	default:
		if s.Action != "" || c.places[join(path, "action")] != nil {
			c.checkAction(path, s, f)
		}
	}
	return f
}

func (c *compiler) checkChoose(path string, s *Step, f flow) flow {
	var ends []flow
	otherwise := f.clone()
	for i := range s.Choose {
		b := &s.Choose[i]
		at := element(join(path, "choose"), i)
		inside := otherwise.clone()
		inside.facts = inside.facts.And(c.checkCondition(join(at, "when"), &b.When, otherwise))
		ends = append(ends, c.checkSteps(join(at, "sequence"), b.Sequence, inside))
		if b.When.Expression != "" {
			otherwise.facts = otherwise.facts.And(expression.FactsOf(b.When.Expression, c.types(otherwise), false))
		}
	}
	ends = append(ends, c.checkSteps(join(path, "else"), s.Else, otherwise))
	return joinFlows(f, ends, fmt.Sprintf("is missing on some paths through the step %s", name(s, path)))
}

// warnShared warns of variables that branches set side by side.
func (c *compiler) warnShared(path string, s *Step) {
	if s.Kind() == KindVariables {
		c.add(path, "Branches that run side by side should not set variables: which of them is last is open.").Warning = true
	}
}

func (c *compiler) checkDelay(path string, s *Step, f flow) {
	if s.Delay.Template == "" {
		return
	}
	at := join(path, "delay.template")
	if c.places[at] == nil {
		at = join(path, "delay")
	}
	of, templated, problems := expression.CheckTemplate(s.Delay.Template, c.types(f))
	c.report(at, problems)
	switch of.Kind {
	case "", expression.KindAny, expression.KindNumber, expression.KindText, expression.KindDuration:
	default:
		c.add(at, "The delay has to be a number of seconds or a duration, and the template gives a %s.", of.Kind)
	}
	if !templated {
		if _, err := ParseDuration(s.Delay.Template); err != nil {
			c.add(at, "%q %s.", clip(s.Delay.Template), err)
		}
	}
}

func (c *compiler) checkRepeat(path string, r *RepeatStep, f flow) flow {
	inside := f.clone()
	inside.loop, inside.item = true, nil
	at := join(path, "repeat")
	if r.ForEach != "" {
		of := c.bare(join(at, "for_each"), r.ForEach, c.types(f), expression.KindList)
		if inside.item = of.Item; inside.item == nil {
			inside.item = &expression.Type{}
		}
	}
	// The body sees what an earlier turn of the loop has set.
	again := inside.clone()
	for name, of := range loopVariables(r.Sequence) {
		if _, ok := again.vars[name]; !ok {
			again.vars[name] = availability{of: of, why: "is missing in the first turn of the loop"}
		} else {
			a := again.vars[name]
			a.of = expression.Type{}
			again.vars[name] = a
		}
	}
	if r.While != nil {
		again.facts = again.facts.And(c.checkCondition(join(at, "while"), r.While, again))
	}
	after := c.checkSteps(join(at, "sequence"), r.Sequence, again)
	if r.Until != nil {
		c.checkCondition(join(at, "until"), r.Until, after)
	}
	if r.Count > 0 || r.Until != nil {
		after.facts, after.item, after.loop = f.facts, f.item, f.loop
		return after
	}
	return after.unsure(f, "is missing where the loop had no turn")
}

// loopVariables are the variables that steps of a loop set.
func loopVariables(list []Step) map[string]expression.Type {
	out := map[string]expression.Type{}
	_ = steps("", list, func(_ string, s *Step) bool {
		var values map[string]any
		if s.Variables != nil && json.Unmarshal(s.Variables, &values) == nil {
			for name := range values {
				out[name] = expression.Type{}
			}
		}
		return true
	})
	return out
}

// setVariables gives variables their types.
func (c *compiler) setVariables(path string, s *Step, f flow) {
	tree, templates := c.checkTemplates(join(path, "variables"), s.Variables, f)
	values, _ := tree.(map[string]any)
	for name, value := range values {
		of, ok := templates[name]
		if !ok {
			of = typeOf(value, name, templates)
		}
		of.Enum = nil
		f.vars[name] = availability{of: of, sure: true}
		c.all.vars[name] = availability{}
	}
}

// typeOf is the type of a value in which templates stand.
func typeOf(value any, path string, templates map[string]expression.Type) expression.Type {
	switch v := value.(type) {
	case string:
		if of, ok := templates[path]; ok {
			return of
		}
		return expression.Of(expression.KindText)
	case map[string]any:
		t := expression.Type{Kind: expression.KindObject, Fields: map[string]expression.Field{}}
		for name, member := range v {
			t.Fields[name] = expression.Field{Type: typeOf(member, join(path, name), templates)}
		}
		return t
	case []any:
		t := expression.Type{Kind: expression.KindList}
		for i, e := range v {
			one := typeOf(e, element(path, i), templates)
			if t.Item != nil {
				one = expression.Union(*t.Item, one, "")
			}
			t.Item = &one
		}
		return t
	default:
		return expression.TypeOf(value)
	}
}

func (c *compiler) checkWaitFor(path string, w *WaitForStep, f flow) {
	at := join(path, "wait_for_trigger")
	e, known := c.catalog.Events[w.Event]
	switch {
	case w.Event == "":
	case !known:
		c.unknownEvent(join(at, "event"), w.Event)
	case e.Config != nil:
		c.add(join(at, "event"), "%s is a trigger with a config, and no event that could be waited for.", w.Event)
	}
	types := c.types(f)
	_, _, problems := expression.CheckTemplate(w.ContextKey, types)
	c.report(join(at, "context_key"), problems)
	if w.Filter == "" || !known {
		return
	}
	text := expression.Of(expression.KindText)
	types.Roots["event"] = expression.Object(map[string]expression.Type{
		"event": text, "id": text, "subject": text, "time": text, "payload": expression.FromSchema(e.Schema),
	})
	delete(types.Absent, "event")
	c.bare(join(at, "filter"), w.Filter, types, expression.KindBool)
}
