package definition

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var kindMembers = []string{
	"action", "choose", "parallel", "sequence", "delay", "repeat", "variables", "condition", "stop", "wait_for_trigger", "wait_until",
}

var stepMembers = slices.Concat(
	[]string{"id", "description", "enabled", "continue_on_error", "timeout", "retry", "onUnknown", "undo", "config", "else"}, kindMembers,
)

// steps reads a list of steps that is a member of an object. Within reverts, which are onFailure and undo, no step has an undo.
func (c *compiler) steps(o *object, name string, depth int, reverts bool) []Step {
	n := o.members[name]
	if n == nil {
		return nil
	}
	return c.stepList(n, join(o.path, name), depth, reverts)
}

func (c *compiler) stepList(n *yaml.Node, path string, depth int, reverts bool) []Step {
	if depth > MaxDepth {
		c.places[path] = n
		if !c.deep {
			c.deep = true
			c.add(path, "Steps are nested at most %d deep.", MaxDepth)
		}
		return nil
	}
	list := []Step{}
	c.list(n, path, func(n *yaml.Node, at string) {
		if c.count++; c.count > MaxSteps {
			if c.count == MaxSteps+1 {
				c.add(at, "An automation has at most %d steps.", MaxSteps)
			}
			return
		}
		list = append(list, c.step(n, at, depth, reverts))
	})
	return list
}

func (c *compiler) step(n *yaml.Node, path string, depth int, reverts bool) Step {
	s := Step{Enabled: true}
	o := c.object(n, path, stepMembers...)
	if o == nil {
		return s
	}
	if s.ID = o.text("id", 0); s.ID != "" {
		c.identify(&s, path)
	}
	s.Description = o.text("description", 2000)
	s.Enabled = o.bool("enabled", true)
	s.ContinueOnError = o.bool("continue_on_error", false)
	var kinds []string
	for _, name := range o.names {
		if slices.Contains(kindMembers, name) {
			kinds = append(kinds, name)
		}
	}
	switch {
	case len(kinds) > 1:
		c.add(path, "A step does one thing, and this one has several: %s.", strings.Join(kinds, ", "))
		return s
	case len(kinds) == 0:
		if !slices.ContainsFunc(o.names, func(name string) bool { return c.failed(join(path, name)) }) {
			c.add(path, "A step needs one of %s.", strings.Join(kindMembers, ", "))
		}
		return s
	}
	kind := kinds[0]
	c.onlyFor(o, kind, "action", "config", "timeout", "retry", "onUnknown")
	c.onlyFor(o, kind, "choose", "else")
	if m := o.members["undo"]; m != nil {
		switch {
		case reverts:
			c.add(join(path, "undo"), "A step of onFailure or undo has no undo.")
		case kind == "stop" || kind == "condition":
			c.add(join(path, "undo"), "%s has no effect that could be undone.", kind)
		default:
			s.Undo = c.stepList(m, join(path, "undo"), depth+1, true)
		}
	}
	c.kind(&s, o, kind, depth, reverts)
	return s
}

func (c *compiler) identify(s *Step, path string) {
	at := join(path, "id")
	if !identifier.MatchString(s.ID) {
		c.add(at, "An id has 1 to 64 letters, digits and underscores, and begins with no digit, since expressions name it.")
		s.ID = ""
		return
	}
	if first := c.ids[s.ID]; first != "" {
		c.add(at, "The id %s stands at %s already.", s.ID, first)
		return
	}
	c.ids[s.ID] = path
}

func (c *compiler) onlyFor(o *object, kind, of string, names ...string) {
	for _, name := range names {
		if o.members[name] != nil && kind != of {
			c.places[join(o.path, name)] = o.members[name]
			c.add(join(o.path, name), "%s goes with %s alone, and this step has %s.", name, of, kind)
		}
	}
}

func (c *compiler) kind(s *Step, o *object, kind string, depth int, reverts bool) {
	value, at := o.members[kind], join(o.path, kind)
	c.places[at] = value
	switch kind {
	case "action":
		c.action(s, o)
	case "choose":
		s.Choose = []Branch{}
		c.list(value, at, func(n *yaml.Node, path string) { s.Choose = append(s.Choose, c.branch(n, path, depth, reverts)) })
		if value.Kind == yaml.SequenceNode && len(value.Content) == 0 {
			c.add(at, "choose needs a branch at least.")
		}
		s.Else = c.steps(o, "else", depth+1, reverts)
	case "parallel":
		s.Parallel = c.parallel(value, at, depth, reverts)
	case "sequence":
		if s.Sequence = c.stepList(value, at, depth+1, reverts); len(s.Sequence) == 0 && !c.failed(at) {
			c.add(at, "sequence needs a step at least.")
		}
	case "delay":
		s.Delay = c.delay(value, at)
	case "repeat":
		s.Repeat = c.repeat(value, at, depth, reverts)
	case "variables":
		c.variables(s, value, at)
	case "condition":
		one := c.condition(value, at, 0)
		s.Condition = &one
	case "stop":
		s.Stop = c.stop(value, at)
	case "wait_for_trigger":
		s.WaitFor = c.waitFor(value, at)
	default:
		s.WaitUntil = c.waitUntil(value, at)
	}
}

func (c *compiler) action(s *Step, o *object) {
	s.Action = o.text("action", 200)
	s.Timeout = o.duration("timeout", second, maxTimeout, 0)
	s.OnUnknown = oneOf(o, "onUnknown", UnknownFails, UnknownFails, UnknownContinues)
	if n := o.members["retry"]; n != nil {
		if r := c.object(n, join(o.path, "retry"), "attempts", "seconds"); r != nil {
			s.Retry = &Retry{Attempts: r.int("attempts", 1, 10, 3), Seconds: r.int("seconds", 1, 3600, 10)}
		}
	}
	config, at := any(map[string]any{}), join(o.path, "config")
	if n := o.members["config"]; n != nil {
		if n.Kind == yaml.MappingNode {
			config = c.json(n, at)
		} else if v, _ := scalar(n); n.Kind != yaml.ScalarNode || v != nil {
			c.wrongKind(n, at, "an object")
		}
	}
	s.Config = raw(config)
	if len(s.Config) > MaxConfigBytes {
		c.add(at, "A config has at most %d bytes as JSON; this one has %d.", MaxConfigBytes, len(s.Config))
	}
}

func (c *compiler) branch(n *yaml.Node, path string, depth int, reverts bool) Branch {
	b := Branch{Sequence: []Step{}}
	o := c.object(n, path, "when", "sequence")
	if o == nil {
		return b
	}
	if when := o.members["when"]; when != nil {
		b.When = c.condition(when, join(path, "when"), 0)
	} else {
		c.add(join(path, "when"), "A branch needs when, its condition; steps for all other cases stand under else.")
	}
	if o.members["sequence"] == nil {
		c.add(join(path, "sequence"), "A branch needs a sequence of steps.")
	}
	if list := c.steps(o, "sequence", depth+1, reverts); list != nil {
		b.Sequence = list
	}
	return b
}

func (c *compiler) parallel(n *yaml.Node, path string, depth int, reverts bool) *ParallelStep {
	p := &ParallelStep{OnFailure: "wait", Branches: []Step{}}
	at := join(path, "branches")
	list := n
	if n.Kind == yaml.MappingNode {
		o := c.object(n, path, "branches", "onFailure")
		p.OnFailure = oneOf(o, "onFailure", "wait", "wait", "cancel")
		if list = o.members["branches"]; list == nil {
			c.add(at, "parallel needs branches.")
			return p
		}
	}
	if branches := c.stepList(list, at, depth+1, reverts); branches != nil {
		p.Branches = branches
	}
	if list.Kind == yaml.SequenceNode && len(list.Content) == 0 {
		c.add(at, "parallel needs a branch at least.")
	}
	return p
}

func (c *compiler) delay(n *yaml.Node, path string) *DelayStep {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "{{") {
		return &DelayStep{Template: c.text(n, path, MaxExpression)}
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "template" {
		o := c.object(n, path, "template")
		return &DelayStep{Template: o.text("template", MaxExpression)}
	}
	return &DelayStep{For: c.duration(n, path, Duration(1e6), Duration(MaxDelay), second)}
}

func (c *compiler) repeat(n *yaml.Node, path string, depth int, reverts bool) *RepeatStep {
	r := &RepeatStep{MaxIterations: defaultIterations, Sequence: []Step{}}
	loops := []string{"count", "for_each", "while", "until"}
	o := c.object(n, path, append(loops, "max_iterations", "sequence")...)
	if o == nil {
		return r
	}
	var given []string
	for _, name := range loops {
		if o.members[name] != nil {
			given = append(given, name)
		}
	}
	if len(given) != 1 {
		c.add(path, "repeat needs exactly one of %s, so that it ends.", strings.Join(loops, ", "))
	}
	r.Count = o.int("count", 1, MaxCount, 0)
	r.ForEach = o.expression(c, "for_each")
	for name, to := range map[string]**Condition{"while": &r.While, "until": &r.Until} {
		if m := o.members[name]; m != nil {
			one := c.condition(m, join(path, name), 0)
			*to = &one
		}
	}
	r.MaxIterations = o.int("max_iterations", 1, MaxIterations, max(defaultIterations, r.Count))
	if r.ForEach != "" && o.members["max_iterations"] == nil {
		r.MaxIterations = MaxCount
	}
	if o.members["sequence"] == nil {
		c.add(join(path, "sequence"), "repeat needs a sequence of steps.")
	}
	if list := c.steps(o, "sequence", depth+1, reverts); list != nil {
		r.Sequence = list
	}
	return r
}

func (c *compiler) variables(s *Step, n *yaml.Node, path string) {
	o := c.object(n, path)
	s.Variables = raw(map[string]any{})
	if o == nil {
		return
	}
	if len(o.names) == 0 {
		c.add(path, "variables is empty.")
	}
	for _, name := range o.names {
		if !identifier.MatchString(name) {
			c.addAt(o.keys[name], join(path, name), "A variable has a name of letters, digits and underscores that begins with no digit.")
		}
	}
	if s.Variables = raw(c.json(n, path)); len(s.Variables) > MaxConfigBytes {
		c.add(path, "Variables have at most %d bytes as JSON; these have %d.", MaxConfigBytes, len(s.Variables))
	}
}

func (c *compiler) stop(n *yaml.Node, path string) *StopStep {
	if n.Kind == yaml.ScalarNode {
		if v, _ := scalar(n); v == nil {
			return &StopStep{}
		}
		return &StopStep{Reason: c.text(n, path, 2000)}
	}
	o := c.object(n, path, "reason", "error")
	if o == nil {
		return &StopStep{}
	}
	return &StopStep{Reason: o.text("reason", 2000), Error: o.bool("error", false)}
}

// timeoutOf reads the time limit of a wait, whose older name counts seconds.
func (c *compiler) timeoutOf(o *object) Duration {
	name := "timeout"
	if o.members[name] == nil && o.members["timeout_seconds"] != nil {
		name = "timeout_seconds"
	}
	return o.duration(name, second, Duration(MaxWait), defaultWait)
}

func (c *compiler) waitFor(n *yaml.Node, path string) *WaitForStep {
	o := c.object(n, path, "event", "filter", "timeout", "timeout_seconds", "context_key", "continue_on_timeout")
	if o == nil {
		return &WaitForStep{Timeout: defaultWait}
	}
	w := &WaitForStep{
		Event: o.text("event", 200), Filter: o.expression(c, "filter"), Timeout: c.timeoutOf(o),
		ContextKey: o.text("context_key", MaxExpression), ContinueOnTimeout: o.bool("continue_on_timeout", false),
	}
	if o.members["event"] == nil {
		c.add(join(path, "event"), "wait_for_trigger needs an event.")
	}
	return w
}

func (c *compiler) waitUntil(n *yaml.Node, path string) *WaitUntilStep {
	o := c.object(n, path, "condition", "timeout", "timeout_seconds", "continue_on_timeout", "poll_seconds")
	if o == nil {
		return &WaitUntilStep{Timeout: defaultWait}
	}
	w := &WaitUntilStep{Timeout: c.timeoutOf(o), ContinueOnTimeout: o.bool("continue_on_timeout", true)}
	if m := o.members["condition"]; m != nil {
		w.Condition = c.condition(m, join(path, "condition"), 0)
	} else {
		c.add(join(path, "condition"), "wait_until needs a condition.")
	}
	if m := o.members["poll_seconds"]; m != nil {
		c.places[join(path, "poll_seconds")] = m
		c.add(join(path, "poll_seconds"), "poll_seconds has no effect: the wait ends when the condition becomes true.").Warning = true
	}
	return w
}
