package definition

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"
)

// Defaults of a definition and of its steps.
const (
	defaultMaxRuns     = 10
	defaultStateWindow = 60
	defaultSteps       = 1000
	defaultMinutes     = 60 * 24 * 60
	defaultEffects     = 200
	defaultIterations  = 1000
	defaultWait        = Duration(24 * 60 * 60 * 1e9)
	maxTimeout         = Duration(24 * 60 * 60 * 1e9)
	second             = Duration(1e9)
)

var (
	slug       = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	clockTime  = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

var definitionMembers = []string{
	"name", "description", "triggers", "conditions", "actions", "onFailure", "mode", "max_runs", "concurrency_scope", "uses_state",
	"state_window_minutes", "group", "limits", "allowSelf",
}

// definition reads the tree. A wrong member is an issue, and has its default.
func (c *compiler) definition(n *yaml.Node) Definition {
	d := Definition{}
	o := c.object(n, "", definitionMembers...)
	if o == nil {
		return d
	}
	if d.Name = strings.TrimSpace(o.text("name", 200)); d.Name == "" && !c.failed("name") {
		c.add("name", "The automation needs a name.")
	}
	d.Description = o.text("description", 4000)
	d.Group = o.text("group", 200)
	d.Mode = oneOf(o, "mode", Single, Single, Parallel, Queued, Restart)
	d.MaxRuns = o.int("max_runs", 1, 1000, defaultMaxRuns)
	d.ConcurrencyScope = oneOf(o, "concurrency_scope", PerAutomation, PerAutomation, PerContext)
	d.StateWindowMinutes = o.int("state_window_minutes", 1, 60*24*7, defaultStateWindow)
	d.AllowSelf = o.bool("allowSelf", false)
	d.Limits = c.limits(o)
	if list := o.members["uses_state"]; list != nil {
		c.list(list, "uses_state", func(n *yaml.Node, path string) {
			if id, ok := c.id(n, path); ok {
				d.UsesState = append(d.UsesState, id)
			}
		})
		if len(d.UsesState) > 50 {
			c.add("uses_state", "At most 50 systems are possible; these are %d.", len(d.UsesState))
		}
	}
	c.triggers(o, &d)
	if list := o.members["conditions"]; list != nil {
		d.Conditions = c.conditions(list, "conditions", 0)
	}
	d.Actions = c.steps(o, "actions", 1, false)
	d.OnFailure = c.steps(o, "onFailure", 1, true)
	if o.members["actions"] == nil {
		c.add("actions", "The automation needs actions.")
	}
	return d
}

// failed reports whether a path has an issue already.
func (c *compiler) failed(path string) bool {
	for _, i := range c.issues {
		if i.Path == path && !i.Warning {
			return true
		}
	}
	return false
}

func (c *compiler) limits(o *object) Limits {
	l := Limits{Steps: defaultSteps, Minutes: defaultMinutes, Effects: defaultEffects}
	n := o.members["limits"]
	if n == nil {
		return l
	}
	if m := c.object(n, "limits", "steps", "minutes", "effects"); m != nil {
		l.Steps = m.int("steps", 1, 100_000, l.Steps)
		l.Minutes = m.int("minutes", 1, 366*24*60, l.Minutes)
		l.Effects = m.int("effects", 0, 10_000, l.Effects)
	}
	return l
}

func (c *compiler) id(n *yaml.Node, path string) (uuid.UUID, bool) {
	text := c.text(n, path, 0)
	if text == "" {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	if err != nil {
		c.addAt(n, path, "%q is no id of a system: write its UUID.", clip(text))
		return uuid.Nil, false
	}
	return id, true
}

func clip(text string) string {
	const shown = 80
	if runes := []rune(text); len(runes) > shown {
		return string(runes[:shown]) + "…"
	}
	return text
}

// expression reads the text of an expression. Its check follows when all is known that it can name.
func (c *compiler) expression(n *yaml.Node, path string) string {
	v, ok := c.scalar(n, path, "an expression")
	if !ok {
		return ""
	}
	switch v := v.(type) {
	case string:
		if strings.TrimSpace(v) == "" {
			c.addAt(n, path, "The expression is empty.")
			return ""
		}
		return v
	case nil:
		c.addAt(n, path, "The expression is empty.")
		return ""
	default:
		return fmt.Sprint(v)
	}
}

func (o *object) expression(c *compiler, name string) string {
	if n := o.members[name]; n != nil {
		return c.expression(n, join(o.path, name))
	}
	return ""
}

var conditionMembers = []string{"expression", "and", "or", "not", "numeric_state", "time", "state"}

func (c *compiler) conditions(n *yaml.Node, path string, depth int) []Condition {
	if n.Kind != yaml.SequenceNode { // One condition needs no list.
		c.places[path] = n
		return []Condition{c.condition(n, element(path, 0), depth)}
	}
	list := []Condition{}
	c.list(n, path, func(n *yaml.Node, at string) { list = append(list, c.condition(n, at, depth)) })
	return list
}

// condition reads a condition: an expression, or an object with one member.
func (c *compiler) condition(n *yaml.Node, path string, depth int) Condition {
	c.places[path] = n
	if depth > MaxDepth {
		c.addAt(n, path, "Conditions are nested at most %d deep.", MaxDepth)
		return Condition{}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return Condition{Expression: c.expression(n, path)}
	case yaml.SequenceNode: // A list means that all of them hold.
		return Condition{And: c.some(n, path, depth)}
	}
	o := c.object(n, path, conditionMembers...)
	if o == nil || !c.exactlyOne(o, conditionMembers, "A condition") {
		return Condition{}
	}
	name := o.names[0]
	value, at := o.members[name], join(path, name)
	switch name {
	case "expression":
		return Condition{Expression: c.expression(value, at)}
	case "and":
		return Condition{And: c.some(value, at, depth)}
	case "or":
		return Condition{Or: c.some(value, at, depth)}
	case "not":
		inner := c.condition(value, at, depth+1)
		return Condition{Not: &inner}
	case "numeric_state":
		return Condition{Numeric: c.numeric(value, at)}
	case "time":
		return Condition{Time: c.window(value, at)}
	default:
		return Condition{State: c.state(value, at)}
	}
}

// some reads the list of an and or an or.
func (c *compiler) some(n *yaml.Node, path string, depth int) []Condition {
	list := c.conditions(n, path, depth+1)
	if len(list) == 0 {
		c.addAt(n, path, "The list of conditions is empty.")
	}
	return list
}

// exactlyOne reports whether an object has one of the members, and no second one.
func (c *compiler) exactlyOne(o *object, names []string, what string) bool {
	count := 0
	for _, name := range o.names {
		for _, one := range names {
			if name == one {
				count++
			}
		}
	}
	switch {
	case count == 1 && len(o.names) == 1:
		return true
	case count > 1:
		c.add(o.path, "%s has one of %s, and this one has several: %s.", what, strings.Join(names, ", "), strings.Join(o.names, ", "))
	case len(o.names) == 0:
		c.add(o.path, "%s is empty: give one of %s.", what, strings.Join(names, ", "))
	case count == 0 && !c.failed(join(o.path, o.names[0])):
		c.add(o.path, "%s has one of %s.", what, strings.Join(names, ", "))
	}
	return false
}

func (c *compiler) numeric(n *yaml.Node, path string) *NumericCondition {
	o := c.object(n, path, "value", "above", "below")
	if o == nil {
		return &NumericCondition{}
	}
	m := &NumericCondition{Value: o.expression(c, "value"), Above: o.number("above"), Below: o.number("below")}
	if o.members["value"] == nil {
		c.add(join(path, "value"), "numeric_state needs a value, which is an expression that gives a number.")
	}
	c.bounds(path, m.Above, m.Below)
	return m
}

func (c *compiler) bounds(path string, above, below *float64) {
	switch {
	case above == nil && below == nil:
		c.add(path, "numeric_state needs above, below or both.")
	case above != nil && below != nil && *above >= *below:
		c.add(path, "No number lies above %v and below %v at once.", *above, *below)
	}
}

func (c *compiler) window(n *yaml.Node, path string) *TimeCondition {
	o := c.object(n, path, "after", "before", "weekday", "timezone")
	if o == nil {
		return &TimeCondition{}
	}
	w := &TimeCondition{Timezone: c.zone(o, "timezone")}
	for name, to := range map[string]*string{"after": &w.After, "before": &w.Before} {
		m := o.members[name]
		if m == nil {
			continue
		}
		*to = m.Value
		if m.Kind != yaml.ScalarNode || !clockTime.MatchString(m.Value) {
			c.places[join(path, name)] = m
			c.add(join(path, name), "This has to be a time of day as HH:mm, such as 08:30.")
		}
	}
	if w.After != "" && w.After == w.Before {
		c.add(path, "after and before are the same time, so it is never between them.")
	}
	if list := o.members["weekday"]; list != nil {
		c.list(list, join(path, "weekday"), func(n *yaml.Node, at string) { w.Weekday = append(w.Weekday, c.weekday(n, at)) })
	}
	if o.members["after"] == nil && o.members["before"] == nil && len(w.Weekday) == 0 {
		c.add(path, "A time needs after, before or weekday.")
	}
	return w
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func (c *compiler) weekday(n *yaml.Node, path string) int {
	v, ok := c.scalar(n, path, "a weekday")
	text := strings.ToLower(fmt.Sprint(v))
	for i, name := range weekdays {
		if text == fmt.Sprint(i) || strings.HasPrefix(text, name) {
			return i
		}
	}
	if ok {
		c.addAt(n, path, "A weekday is a number from 0 (Sunday) to 6, or a name such as mon.")
	}
	return 0
}

func (c *compiler) state(n *yaml.Node, path string) *StateCondition {
	o := c.object(n, path, "entity", "status", "for")
	if o == nil {
		return &StateCondition{}
	}
	s := &StateCondition{Entity: o.text("entity", MaxExpression), Status: o.text("status", 64)}
	s.For = o.duration("for", 0, Duration(MaxWait), 0)
	for _, name := range []string{"entity", "status"} {
		if o.members[name] == nil {
			c.add(
				join(path, name),
				"A state needs %s.",
				map[string]string{"entity": "entity, the id of a system", "status": "status, such as degraded"}[name],
			)
		}
	}
	return s
}

// raw is the JSON of a value of the text.
func raw(value any) json.RawMessage {
	out, err := json.Marshal(value)
	if err != nil { // Values of a text are texts, numbers, lists and objects.
		return json.RawMessage("null")
	}
	return out
}
