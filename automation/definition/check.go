package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/automation/expression"
	"countersign/internal/text/search"
	"countersign/internal/text/strictjson"
	"countersign/tool"
)

// check checks what needs the whole definition: the types of expressions, what is available where, and actions.
func (c *compiler) check(d *Definition) {
	c.collect(d)
	for i, t := range d.Triggers {
		if t.Filter == "" {
			continue
		}
		own := c.types(flow{})
		own.Variants = c.variants[i : i+1]
		own.Roots = map[string]expression.Type{"trigger": own.Roots["trigger"], "now": own.Roots["now"]}
		own.Absent = map[string]string{}
		for _, root := range expression.Roots() {
			if _, ok := own.Roots[root]; !ok {
				own.Absent[root] = "The filter of a trigger sees trigger and now only: put this into conditions."
			}
		}
		c.bare(fmt.Sprintf("triggers[%d].filter", i), t.Filter, own, expression.KindBool)
	}
	start := flow{artifacts: map[string]map[string]availability{}, vars: map[string]availability{}}
	for i := range d.Conditions {
		start.facts = start.facts.And(c.checkCondition(element("conditions", i), &d.Conditions[i], start))
	}
	c.all = start.clone()
	c.checkSteps("actions", d.Actions, start)
	// onFailure runs whatever step failed: all that some path makes may be there.
	after := c.all.unsure(start, "is missing where the run failed before")
	after.loop, after.item = false, nil
	c.checkSteps("onFailure", d.OnFailure, after)
	c.warnSelf(d)
}

// collect finds what steps can produce, and what triggers give.
func (c *compiler) collect(d *Definition) {
	c.healthOf = expression.FromSchema(c.health())
	for _, t := range d.Triggers {
		e := c.catalog.Events[t.Event]
		c.variants = append(c.variants, expression.Variant{ID: t.ID, Event: t.Event, Payload: expression.FromSchema(e.Schema)})
		c.aboutSystem = append(c.aboutSystem, e.Subject == "catalog.system" || e.Subject == "" && e.Schema == nil)
	}
	c.produced, c.disabled = map[string]map[string]expression.Type{}, map[string]bool{}
	for _, s := range Steps(d) {
		if s.ID != "" {
			c.produced[s.ID] = c.produces(s)
			c.disabled[s.ID] = !s.Enabled
		}
	}
}

// produces are the artifacts of a step by type.
func (c *compiler) produces(s *Step) map[string]expression.Type {
	out := map[string]expression.Type{ArtifactResult: expression.FromSchema(ResultSchema)}
	switch s.Kind() {
	case KindWaitFor, KindWaitUntil:
		out[ArtifactWait] = expression.FromSchema(WaitSchema)
	case KindRepeat:
		out[ArtifactLoop] = expression.FromSchema(LoopSchema)
	case KindAction:
		for _, a := range c.catalog.Actions[s.Action].Produces {
			out[a.ID] = expression.FromSchema(a.Schema)
		}
	}
	return out
}

// report adds the problems of an expression that stands at a path.
func (c *compiler) report(path string, problems []expression.Problem) {
	for _, p := range problems {
		i := c.add(path, "%s", p.Message)
		i.Nearest, i.Warning = p.Nearest, p.Warning
		if n := c.places[path]; n != nil {
			i.Line, i.Column = c.within(n, p)
		}
	}
}

// within is the place of a problem in the text of a scalar. Where escapes or folding hide it, that is where the scalar begins.
func (c *compiler) within(n *yaml.Node, p expression.Problem) (line, column int) {
	switch {
	case n.Kind != yaml.ScalarNode:
		return n.Line, n.Column
	case n.Style&yaml.LiteralStyle != 0:
		line = n.Line + p.Line
		if line > len(c.lines) {
			return n.Line, n.Column
		}
		first := c.lines[n.Line]
		return line, len(first) - len(strings.TrimLeft(first, " ")) + p.Column
	case n.Style&yaml.FoldedStyle != 0 || p.Line > 1 || n.Line > len(c.lines):
		return n.Line, n.Column
	}
	quote := 0
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		quote = 1
	}
	runes := []rune(c.lines[n.Line-1])
	from := n.Column - 1 + quote
	if to := from + p.Column - 1; from <= len(runes) && to <= len(runes) && strings.HasPrefix(n.Value, string(runes[from:to])) {
		return n.Line, to + 1
	}
	return n.Line, n.Column
}

// bare checks an expression that has to give a value of one of the kinds.
func (c *compiler) bare(path, text string, t expression.Types, kinds ...expression.Kind) expression.Type {
	of, problems := expression.Check(text, t)
	if len(kinds) > 0 {
		of, problems = expression.CheckKind(text, t, kinds...)
	}
	c.report(path, problems)
	return of
}

// checkCondition checks a condition, and answers what is known where it holds.
func (c *compiler) checkCondition(path string, of *Condition, f flow) expression.Facts {
	types := c.types(f)
	switch {
	case of.Expression != "":
		at := path
		if c.places[join(path, "expression")] != nil {
			at = join(path, "expression")
		}
		c.bare(at, of.Expression, types, expression.KindBool)
		return expression.FactsOf(of.Expression, types, true)
	case of.And != nil:
		known := expression.Facts{}
		at := path
		if c.places[join(path, "and")] != nil {
			at = join(path, "and")
		}
		for i := range of.And {
			known = known.And(c.checkCondition(element(at, i), &of.And[i], f))
			f.facts = f.facts.And(known)
		}
		return known
	case of.Or != nil:
		var known *expression.Facts
		for i := range of.Or {
			one := c.checkCondition(element(join(path, "or"), i), &of.Or[i], f)
			if known == nil {
				known = &one
				continue
			}
			both := known.Or(one)
			known = &both
		}
		if known != nil {
			return *known
		}
	case of.Not != nil:
		c.checkCondition(join(path, "not"), of.Not, f)
		if of.Not.Expression != "" {
			return expression.FactsOf(of.Not.Expression, types, false)
		}
	case of.Numeric != nil && of.Numeric.Value != "":
		c.bare(join(path, "numeric_state.value"), of.Numeric.Value, types, expression.KindNumber, expression.KindDuration, expression.KindNull)
	case of.State != nil:
		c.checkState(join(path, "state"), of.State, types)
	}
	return expression.Facts{}
}

func (c *compiler) checkState(path string, of *StateCondition, types expression.Types) {
	at := join(path, "entity")
	if one, templated, problems := expression.CheckTemplate(of.Entity, types); templated {
		c.report(at, problems)
		if one.Kind != expression.KindText && one.Kind != "" && one.Kind != expression.KindAny {
			c.add(at, "The template has to give the id of a system, which is a text.")
		}
	} else if of.Entity != "" && !isUUID(of.Entity) {
		c.add(at, "%q is no id of a system: write its UUID, or a template.", clip(of.Entity))
	}
	c.status(join(path, "status"), of.Status)
}

// status checks the name of a health status.
func (c *compiler) status(path, name string) {
	known := expression.FromSchema(c.health()).Fields["status"].Type.Enum
	if name == "" || len(known) == 0 || slices.Contains(known, name) {
		return
	}
	i := c.add(path, "%q is no status: write one of %s.", clip(name), strings.Join(known, ", "))
	i.Nearest = search.Nearest(name, known)
}

// checkTemplates checks the templates in a value, and answers the paths of the strings that hold some, with their types.
func (c *compiler) checkTemplates(path string, value json.RawMessage, f flow) (any, map[string]expression.Type) {
	var tree any
	if strictjson.DecodeNumbers(value, &tree) != nil {
		return nil, nil
	}
	found := map[string]expression.Type{}
	types := c.types(f)
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case string:
			if !strings.Contains(v, "{{") {
				return
			}
			of, templated, problems := expression.CheckTemplate(v, types)
			full := path
			if at != "" {
				full = path + strings.TrimPrefix("."+at, ".[")
				if strings.HasPrefix(at, "[") {
					full = path + at
				}
			}
			c.report(full, problems)
			if templated {
				found[at] = of
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(join(at, name), v[name])
			}
		case []any:
			for i, e := range v {
				walk(element(at, i), e)
			}
		}
	}
	walk("", tree)
	return tree, found
}

// checkAction checks an action with its config.
func (c *compiler) checkAction(path string, s *Step, f flow) {
	at := join(path, "config")
	a, ok := c.catalog.Actions[s.Action]
	tree, templates := c.checkTemplates(at, s.Config, f)
	switch {
	case s.Action == "":
		c.add(join(path, "action"), "The action is empty: write its id, such as automation.log.")
		return
	case !ok:
		i := c.add(join(path, "action"), "There is no action %q.", clip(s.Action))
		names := slices.Sorted(maps.Keys(c.catalog.Actions))
		if i.Nearest = search.Nearest(s.Action, names); i.Nearest != "" {
			i.Message += " Did you mean " + i.Nearest + "?"
		}
		return
	case a.Effect == tool.Read && len(s.Undo) > 0:
		c.add(join(path, "undo"), "%s changes nothing, so undo has nothing to undo.", s.Action).Warning = true
	}
	if a.Config == nil {
		return
	}
	c.fits(a.Config, tree, at, slices.Collect(maps.Keys(templates)))
	whole := expression.FromSchema(a.Config)
	for inner, of := range templates {
		want, known := typeAt(whole, inner)
		if known && of.Kind != "" && of.Kind != expression.KindAny && of.Kind != expression.KindNull && !assignable(of.Kind, want.Kind) {
			hint := ""
			if want.Kind == expression.KindText {
				hint = " Write string(value) or a text around the template."
			}
			c.add(join(at, inner), "This has to be a %s, and the template gives a %s.%s", want.Kind, of.Kind, hint)
		}
	}
}

func assignable(from, to expression.Kind) bool {
	asText := from == expression.KindTime || from == expression.KindDuration
	return to == "" || to == expression.KindAny || to == expression.KindNull || from == to || asText && to == expression.KindText
}

// typeAt is the type of a member of a config.
func typeAt(t expression.Type, path string) (expression.Type, bool) {
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		switch {
		case part == "":
		case strings.HasPrefix(part, "["):
			if t.Kind != expression.KindList || t.Item == nil {
				return expression.Type{}, false
			}
			t = *t.Item
		default:
			f, ok := t.Fields[part]
			if !ok {
				return expression.Type{}, false
			}
			t = f.Type
		}
	}
	return t, true
}

// warnSelf warns of an automation that its own actions may trigger.
func (c *compiler) warnSelf(d *Definition) {
	if d.AllowSelf {
		return
	}
	for i, t := range d.Triggers {
		room, _, _ := strings.Cut(t.Event, ".")
		for _, s := range Steps(d) {
			a, ok := c.catalog.Actions[s.Action]
			if ok && a.Effect != tool.Read && s.Enabled && room != "automation" && strings.HasPrefix(s.Action, room+".") {
				c.add("triggers["+strconv.Itoa(i)+"].event",
					"%s may cause the event %s itself. Runs that the automation would cause itself are skipped, unless allowSelf is true.",
					s.Action, t.Event).Warning = true
				break
			}
		}
	}
}
