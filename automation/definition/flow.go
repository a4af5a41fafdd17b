package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"countersign/automation/expression"
)

// Artifacts that the engine itself makes, beside those of actions.
const (
	// ArtifactWait is that of wait_for_trigger and wait_until.
	ArtifactWait = "wait"
	// ArtifactResult is that of every step with an id once it has ended.
	ArtifactResult = "result"
	// ArtifactLoop is that of repeat.
	ArtifactLoop = "loop"
)

// Schemas of the artifacts of the engine.
var (
	WaitSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["timedOut"],"properties":{` +
		`"timedOut":{"type":"boolean"},"event":{"type":"object","required":["event","id","subject","time","payload"],"properties":{` +
		`"event":{"type":"string"},"id":{"type":"string"},"subject":{"type":"string"},"time":{"type":"string"},"payload":{"type":"object"}}}}}`)
	ResultSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["status"],"properties":{` +
		`"status":{"type":"string","enum":["success","failed","skipped","cancelled","unknown"]},"problem":{"type":"string"}}}`)
	LoopSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["iterations","failed","results"],"properties":{` +
		`"iterations":{"type":"integer"},"failed":{"type":"integer"},"results":{"type":"array","items":{"type":"object",` +
		`"required":["index","status"],"properties":{"index":{"type":"integer"},"status":{"type":"string","enum":["success","failed"]},` +
		`"problem":{"type":"string"}}}}}}`)
	// HealthSchema is that of health.system and of each member of health.systems.
	HealthSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["status","in_status_for_ms","in_maintenance",` +
		`"transitions_in_window"],"properties":{"status":{"type":"string","enum":["healthy","degraded","unhealthy","unknown"]},` +
		`"in_status_for_ms":{"type":"number"},"in_maintenance":{"type":"boolean"},"transitions_in_window":{"type":"integer"},` +
		`"latency_ms":{"type":"number"},"avg_latency_ms":{"type":"number"},"p95_latency_ms":{"type":"number"},"success_rate":{"type":"number"}}}`)
)

// availability is a value that some paths through the steps make.
type availability struct {
	of expression.Type
	// sure values exist on every path to here.
	sure bool
	// why says of others where they come from.
	why string
}

// flow is what is known where a step stands.
type flow struct {
	// artifacts are by step and type, vars by name.
	artifacts map[string]map[string]availability
	vars      map[string]availability
	facts     expression.Facts
	// item is the type of repeat.item in a loop.
	item *expression.Type
	loop bool
	// ended says that no path leads here.
	ended bool
}

// clone copies the outer maps. The artifacts of one step are shared, and replaced as a whole.
func (f flow) clone() flow {
	f.artifacts = maps.Clone(f.artifacts)
	f.vars = maps.Clone(f.vars)
	return f
}

// unsure is the flow after something that may not have happened: what is new in it exists on some paths only.
func (f flow) unsure(before flow, why string) flow {
	out := f.clone()
	for id, shared := range out.artifacts {
		var of map[string]availability
		for name, a := range shared {
			if before.artifacts[id][name].sure || !a.sure && a.why != "" {
				continue
			}
			a.sure = false
			if a.why == "" {
				a.why = why
			}
			if of == nil {
				of = maps.Clone(shared)
				out.artifacts[id] = of
			}
			of[name] = a
		}
	}
	for name, a := range out.vars {
		if !before.vars[name].sure {
			a.sure = false
			if a.why == "" {
				a.why = why
			}
			out.vars[name] = a
		} else {
			a.of = expression.Union(a.of, before.vars[name].of, "")
			out.vars[name] = a
		}
	}
	out.facts, out.item, out.loop = before.facts, before.item, before.loop
	out.ended = false
	return out
}

// joinFlows is the flow after several alternatives of which one happened.
func joinFlows(before flow, all []flow, why string) flow {
	alive := slices.DeleteFunc(slices.Clone(all), func(f flow) bool { return f.ended })
	if len(alive) == 0 {
		out := before.clone()
		out.ended = true
		return out
	}
	out := alive[0].clone()
	for _, f := range alive[1:] {
		mergeAvailable(out.vars, f.vars, why)
		for id := range f.artifacts {
			if out.artifacts[id] == nil {
				out.artifacts[id] = map[string]availability{}
			}
		}
		for id, shared := range out.artifacts {
			of := maps.Clone(shared)
			mergeAvailable(of, f.artifacts[id], why)
			out.artifacts[id] = of
		}
		out.facts = out.facts.Or(f.facts)
	}
	out.facts = before.facts.And(out.facts)
	out.item, out.loop = before.item, before.loop
	return out
}

func mergeAvailable(into, from map[string]availability, why string) {
	for name, a := range into {
		b, ok := from[name]
		if !ok || !b.sure {
			a.sure = false
			if a.why == "" {
				a.why = why
			}
		}
		if ok {
			a.of = expression.Union(a.of, b.of, "")
		}
		into[name] = a
	}
	for name, b := range from {
		if _, ok := into[name]; !ok {
			b.sure = false
			if b.why == "" {
				b.why = why
			}
			into[name] = b
		}
	}
}

// both is the flow after two things that both happened.
func (f flow) both(g flow) flow {
	out := f.clone()
	for id, of := range g.artifacts {
		whole := maps.Clone(out.artifacts[id])
		if whole == nil {
			whole = map[string]availability{}
		}
		for name, a := range of {
			if !whole[name].sure {
				whole[name] = a
			}
		}
		out.artifacts[id] = whole
	}
	for name, a := range g.vars {
		if !out.vars[name].sure {
			out.vars[name] = a
		}
	}
	out.ended = out.ended || g.ended
	return out
}

// types are the types that an expression sees.
func (c *compiler) types(f flow) expression.Types {
	text := expression.Of(expression.KindText)
	t := expression.Types{
		Roots: map[string]expression.Type{
			"trigger": expression.Object(
				map[string]expression.Type{"event": c.triggerEvents(), "id": c.triggerIDs(), "subject": text, "time": text},
			),
			"artifacts":  c.artifactTypes(f),
			"var":        varTypes(f),
			"now":        expression.Of(expression.KindTime),
			"automation": expression.Object(map[string]expression.Type{"id": text, "runId": text}),
			"state":      expression.MapOf(expression.MapOf(expression.Type{})),
			"health":     c.healthType(),
		},
		Absent: map[string]string{
			"event":  "event exists in the filter of wait_for_trigger only; the event that started the run is trigger.",
			"repeat": "repeat exists in the steps of a loop only.",
		},
		Variants: c.variants,
		Known:    f.facts,
	}
	if f.loop {
		item := expression.Type{}
		if f.item != nil {
			item = *f.item
		}
		t.Roots["repeat"] = expression.Object(map[string]expression.Type{"index": expression.Of(expression.KindNumber), "item": item})
		delete(t.Absent, "repeat")
	}
	return t
}

func (c *compiler) triggerEvents() expression.Type {
	t := expression.Of(expression.KindText)
	for _, v := range c.variants {
		t.Enum = append(t.Enum, v.Event)
	}
	t.Enum = slices.Compact(slices.Sorted(slices.Values(t.Enum)))
	return t
}

func (c *compiler) triggerIDs() expression.Type {
	t := expression.Of(expression.KindText)
	for _, v := range c.variants {
		t.Enum = append(t.Enum, v.ID)
	}
	return t
}

func varTypes(f flow) expression.Type {
	t := expression.Type{Kind: expression.KindObject, Fields: map[string]expression.Field{}}
	for name, a := range f.vars {
		t.Fields[name] = field(a)
	}
	return t
}

func field(a availability) expression.Field {
	if a.sure {
		return expression.Field{Type: a.of}
	}
	return expression.Field{Type: a.of, Optional: true, Missing: a.why}
}

// artifactTypes are those of all steps: one that cannot be there yet says so.
func (c *compiler) artifactTypes(f flow) expression.Type {
	t := expression.Type{Kind: expression.KindObject, Fields: make(map[string]expression.Field, len(c.produced))}
	for id := range c.produced {
		made := f.artifacts[id]
		known, ok := c.stepTypes[id]
		if !ok || reflect.ValueOf(known.made).Pointer() != reflect.ValueOf(made).Pointer() {
			known = stepType{made, c.stepField(id, made)}
			c.stepTypes[id] = known
		}
		t.Fields[id] = known.field
	}
	return t
}

// stepType is the type of the artifacts of a step where they are available so.
type stepType struct {
	made  map[string]availability
	field expression.Field
}

func (c *compiler) stepField(id string, made map[string]availability) expression.Field {
	step := expression.Type{Kind: expression.KindObject, Fields: map[string]expression.Field{}}
	absent := fmt.Sprintf("is not available here, since the step %s has not run before", id)
	if c.disabled[id] {
		absent = fmt.Sprintf("is never available, since the step %s is disabled", id)
	}
	ended, ok := made[ArtifactResult]
	if !ok {
		ended.why = absent
	}
	for name, of := range c.produced[id] {
		a, ok := made[name]
		if !ok {
			a = availability{of: of, why: absent}
		}
		// A step that ran has its artifacts, so it is enough to ask for the step.
		if !ended.sure && a.why == ended.why {
			a.sure = true
		}
		step.Fields[name] = field(a)
	}
	return expression.Field{Type: step, Optional: !ended.sure, Missing: ended.why}
}

func (c *compiler) healthType() expression.Type {
	one := c.healthOf
	t := expression.Type{Kind: expression.KindObject, Fields: map[string]expression.Field{"systems": {Type: expression.MapOf(one)}}}
	system := expression.Field{Type: one}
	var without []string
	for i, v := range c.variants {
		if !c.aboutSystem[i] {
			without = append(without, v.Event)
		}
	}
	if len(without) > 0 && len(without) == len(c.variants) {
		return t // No trigger is about a system.
	}
	if len(without) > 0 {
		system.Optional = true
		system.Missing = "does not exist for " + strings.Join(slices.Compact(without), ", ")
	}
	t.Fields["system"] = system
	return t
}

func (c *compiler) health() json.RawMessage {
	if c.catalog.Health != nil {
		return c.catalog.Health
	}
	return HealthSchema
}
