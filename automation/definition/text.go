package definition

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"

	"countersign/internal/text/strictjson"
)

// Text writes a definition that has no text of an author, without the members that have their defaults.
func Text(d Definition) []byte {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if e.Encode(nodeOf(written(d))) != nil || e.Close() != nil { // The nodes are texts, numbers, lists and objects.
		return nil
	}
	return out.Bytes()
}

// Equal reports whether two definitions do the same: neither the order of members nor that of systems and weekdays counts.
func Equal(a, b Definition) bool { return strictjson.Same(normal(a), normal(b)) }

// normal is the JSON of a definition with its sets in order.
func normal(d Definition) json.RawMessage {
	d.UsesState = slices.Clone(d.UsesState)
	slices.SortFunc(d.UsesState, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	var tree any
	if json.Unmarshal(raw(d), &tree) != nil {
		return nil
	}
	sortWeekdays(tree)
	return raw(tree)
}

func sortWeekdays(tree any) {
	switch v := tree.(type) {
	case map[string]any:
		if days, ok := v["weekday"].([]any); ok {
			slices.SortFunc(days, func(a, b any) int {
				x, _ := a.(float64)
				y, _ := b.(float64)
				return int(x - y)
			})
		}
		for _, member := range v {
			sortWeekdays(member)
		}
	case []any:
		for _, e := range v {
			sortWeekdays(e)
		}
	}
}

// member is one of an object whose members have an order.
type member struct {
	name  string
	value any
}

// members writes an object in the order of its members, without those that are empty.
type members []member

func (m members) with(name string, value any, skip bool) members {
	if skip {
		return m
	}
	return append(m, member{name, value})
}

func written(d Definition) members {
	triggers := make([]any, 0, len(d.Triggers))
	for _, t := range d.Triggers {
		triggers = append(triggers, writtenTrigger(t))
	}
	limits := members{}.with("steps", d.Limits.Steps, d.Limits.Steps == defaultSteps).
		with("minutes", d.Limits.Minutes, d.Limits.Minutes == defaultMinutes).
		with("effects", d.Limits.Effects, d.Limits.Effects == defaultEffects)
	return members{}.with("name", d.Name, false).
		with("description", d.Description, d.Description == "").
		with("group", d.Group, d.Group == "").
		with("triggers", triggers, false).
		with("conditions", writtenConditions(d.Conditions), len(d.Conditions) == 0).
		with("mode", string(d.Mode), d.Mode == Single).
		with("max_runs", d.MaxRuns, d.MaxRuns == defaultMaxRuns).
		with("concurrency_scope", string(d.ConcurrencyScope), d.ConcurrencyScope == PerAutomation).
		with("uses_state", d.UsesState, len(d.UsesState) == 0).
		with("state_window_minutes", d.StateWindowMinutes, d.StateWindowMinutes == defaultStateWindow).
		with("limits", limits, len(limits) == 0).
		with("allowSelf", true, !d.AllowSelf).
		with("actions", writtenSteps(d.Actions), false).
		with("onFailure", writtenSteps(d.OnFailure), len(d.OnFailure) == 0)
}

func writtenTrigger(t Trigger) members {
	m := members{}.with("id", t.ID, false).with("event", t.Event, false).
		with("filter", t.Filter, t.Filter == "").
		with("config", t.Config, t.Config == nil || string(t.Config) == "{}").
		with("for", t.For.String(), t.For == 0)
	if t.Window != nil {
		m = m.with("window", writtenWindow(t.Window), false)
	}
	return m.with("catchUp", string(t.CatchUp), t.CatchUp == CatchNone || t.CatchUp == "").with("enabled", false, t.Enabled)
}

func writtenWindow(w *TimeCondition) members {
	return members{}.with("after", w.After, w.After == "").with("before", w.Before, w.Before == "").
		with("weekday", w.Weekday, len(w.Weekday) == 0).with("timezone", w.Timezone, w.Timezone == "")
}

func writtenConditions(list []Condition) []any {
	out := make([]any, 0, len(list))
	for i := range list {
		out = append(out, writtenCondition(&list[i]))
	}
	return out
}

func writtenCondition(c *Condition) any {
	switch {
	case c.And != nil:
		return members{{"and", writtenConditions(c.And)}}
	case c.Or != nil:
		return members{{"or", writtenConditions(c.Or)}}
	case c.Not != nil:
		return members{{"not", writtenCondition(c.Not)}}
	case c.Numeric != nil:
		m := members{{"value", c.Numeric.Value}}
		if c.Numeric.Above != nil {
			m = m.with("above", *c.Numeric.Above, false)
		}
		if c.Numeric.Below != nil {
			m = m.with("below", *c.Numeric.Below, false)
		}
		return members{{"numeric_state", m}}
	case c.Time != nil:
		return members{{"time", writtenWindow(c.Time)}}
	case c.State != nil:
		return members{
			{"state", members{{"entity", c.State.Entity}, {"status", c.State.Status}}.with("for", c.State.For.String(), c.State.For == 0)},
		}
	default:
		return c.Expression
	}
}

func writtenSteps(list []Step) []any {
	out := make([]any, 0, len(list))
	for i := range list {
		out = append(out, writtenStep(&list[i]))
	}
	return out
}

func writtenStep(s *Step) members {
	m := members{}.with("id", s.ID, s.ID == "").with("description", s.Description, s.Description == "").with("enabled", false, s.Enabled)
	switch s.Kind() {
	case KindChoose:
		branches := make([]any, 0, len(s.Choose))
		for i := range s.Choose {
			branches = append(branches, members{{"when", writtenCondition(&s.Choose[i].When)}, {"sequence", writtenSteps(s.Choose[i].Sequence)}})
		}
		m = m.with("choose", branches, false).with("else", writtenSteps(s.Else), len(s.Else) == 0)
	case KindParallel:
		branches := writtenSteps(s.Parallel.Branches)
		if s.Parallel.OnFailure == "wait" {
			m = m.with("parallel", branches, false)
			break
		}
		m = m.with("parallel", members{{"branches", branches}, {"onFailure", s.Parallel.OnFailure}}, false)
	case KindSequence:
		m = m.with("sequence", writtenSteps(s.Sequence), false)
	case KindDelay:
		text := s.Delay.Template
		if text == "" {
			text = s.Delay.For.String()
		}
		m = m.with("delay", text, false)
	case KindRepeat:
		m = m.with("repeat", writtenRepeat(s.Repeat), false)
	case KindVariables:
		m = m.with("variables", s.Variables, false)
	case KindCondition:
		m = m.with("condition", writtenCondition(s.Condition), false)
	case KindStop:
		m = m.with("stop", members{{"reason", s.Stop.Reason}}.with("error", true, !s.Stop.Error), false)
	case KindWaitFor:
		w := s.WaitFor
		m = m.with("wait_for_trigger", members{{"event", w.Event}}.with("filter", w.Filter, w.Filter == "").
			with("context_key", w.ContextKey, w.ContextKey == "").with("timeout", w.Timeout.String(), w.Timeout == defaultWait).
			with("continue_on_timeout", true, !w.ContinueOnTimeout), false)
	case KindWaitUntil:
		w := s.WaitUntil
		m = m.with("wait_until", members{{"condition", writtenCondition(&w.Condition)}}.
			with("timeout", w.Timeout.String(), w.Timeout == defaultWait).with("continue_on_timeout", false, w.ContinueOnTimeout), false)
	default:
		m = m.with("action", s.Action, false).with("config", s.Config, s.Config == nil || string(s.Config) == "{}").
			with("timeout", s.Timeout.String(), s.Timeout == 0)
		if s.Retry != nil {
			m = m.with("retry", members{{"attempts", s.Retry.Attempts}, {"seconds", s.Retry.Seconds}}, false)
		}
		m = m.with("onUnknown", string(s.OnUnknown), s.OnUnknown == UnknownFails || s.OnUnknown == "")
	}
	return m.with("continue_on_error", true, !s.ContinueOnError).with("undo", writtenSteps(s.Undo), len(s.Undo) == 0)
}

func writtenRepeat(r *RepeatStep) members {
	m := members{}.with("count", r.Count, r.Count == 0).with("for_each", r.ForEach, r.ForEach == "")
	usual := max(defaultIterations, r.Count)
	if r.While != nil {
		m = m.with("while", writtenCondition(r.While), false)
	}
	if r.Until != nil {
		m = m.with("until", writtenCondition(r.Until), false)
	}
	if r.ForEach != "" {
		usual = MaxCount
	}
	return m.with("max_iterations", r.MaxIterations, r.MaxIterations == usual).with("sequence", writtenSteps(r.Sequence), false)
}

// nodeOf is the YAML tree of a value. Objects and lists of an empty form are in flow style.
func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case members:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range v {
			n.Content = append(n.Content, textNode(m.name), nodeOf(m.value))
		}
		return emptyFlow(n)
	case json.RawMessage:
		var tree any
		if strictjson.DecodeNumbers(v, &tree) != nil {
			return nodeOf(nil)
		}
		return nodeOf(tree)
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, name := range sortedNames(v) {
			n.Content = append(n.Content, textNode(name), nodeOf(v[name]))
		}
		return emptyFlow(n)
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, e := range v {
			n.Content = append(n.Content, nodeOf(e))
		}
		return emptyFlow(n)
	case string:
		return textNode(v)
	case nil, bool, json.Number, int, float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: string(raw(v))}
	default:
		return nodeOf(raw(v))
	}
}

func emptyFlow(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

// textNode is a scalar that every reader takes for this text.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	multiline := strings.Contains(text, "\n")
	v, trap := scalar(n)
	_, date := time.Parse(time.DateOnly, text)
	plain := v == any(text) && trap == "" && date != nil
	switch {
	case multiline && plain && strings.TrimLeft(text, " \n\t") == text && !strings.Contains(text, " \n") &&
		!strings.ContainsAny(text, "\t\u0085\u2028\u2029\ufeff"):
		n.Style = yaml.LiteralStyle
	case !plain || multiline || strings.HasPrefix(text, "{{"):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
