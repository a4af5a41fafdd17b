package definition

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// obj is a part of a JSON schema.
type obj = map[string]any

// Schema is the JSON schema of definitions as people write them, for the completion and the help of an editor. It is wider than Compile,
// which also knows types, flow and rights: whatever Compile takes fits the schema.
func Schema(c Catalog) json.RawMessage {
	steps := reference("steps")
	return raw(obj{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Automation",
		"type":    "object", "additionalProperties": false,
		"required": []string{"name", "triggers", "actions"},
		"properties": obj{
			"name":        text("Name of the automation.", 200),
			"description": text("Purpose, for people.", 4000),
			"group":       text("Group in lists.", 200),
			"triggers": obj{
				"type": "array", "minItems": 1, "maxItems": MaxTriggers, "items": reference("trigger"), "description": "Each of them starts runs.",
			},
			"conditions": described(reference("conditions"), "All have to hold for a run to begin."),
			"actions":    described(steps, "Steps of a run, one after another."),
			"onFailure":  described(steps, "Steps that run when the run has failed."),
			"mode": choice(
				"What happens to a trigger while a run has not ended: skip it, run beside it, wait, or cancel the run.",
				Single,
				Parallel,
				Queued,
				Restart,
			),
			"max_runs":          whole("Most runs at once of mode parallel, and most waiting ones of mode queued.", 1, 1000, defaultMaxRuns),
			"concurrency_scope": choice("Whether mode counts all runs, or those about one record.", PerAutomation, PerContext),
			"uses_state": obj{
				"type":        "array",
				"maxItems":    50,
				"items":       obj{"type": "string"},
				"description": "Ids of systems whose health expressions read.",
			},
			"state_window_minutes": whole("Minutes that numbers of health look back.", 1, 60*24*7, defaultStateWindow),
			"allowSelf":            flag("Let the automation be triggered by its own runs.", false),
			"limits": closed("Limits of a run.", obj{
				"steps":   whole("Steps of a run.", 1, 100_000, defaultSteps),
				"minutes": whole("Minutes of a run with its waits.", 1, 366*24*60, defaultMinutes),
				"effects": whole("Actions with an effect.", 0, 10_000, defaultEffects),
			}),
		},
		"$defs": obj{
			"duration": durationSchema(), "expression": expressionSchema(), "time": timeSchema(),
			"trigger": triggerSchema(c), "condition": conditionSchema(c), "conditions": listOrOne("condition"),
			"steps": obj{"type": "array", "items": reference("step")}, "step": stepSchema(c),
		},
	})
}

func reference(name string) obj { return obj{"$ref": "#/$defs/" + name} }

func described(schema obj, description string) obj {
	out := maps.Clone(schema)
	out["description"] = description
	return out
}

func text(description string, limit int) obj {
	return obj{"type": "string", "maxLength": limit, "description": description}
}

func whole(description string, low, high, usual int) obj {
	return obj{"type": "integer", "minimum": low, "maximum": high, "default": usual, "description": description}
}

func flag(description string, usual bool) obj {
	return obj{"type": "boolean", "default": usual, "description": description}
}

// choice is one of several texts, the first of which is the default.
func choice[T ~string](description string, values ...T) obj {
	return obj{"type": "string", "enum": values, "default": values[0], "description": description}
}

func closed(description string, properties obj, required ...string) obj {
	out := obj{"type": "object", "additionalProperties": false, "properties": properties, "description": description}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func listOrOne(name string) obj {
	return obj{"anyOf": []obj{{"type": "array", "items": reference(name)}, reference(name)}}
}

func durationSchema() obj {
	unit := obj{"type": "number", "minimum": 0}
	return obj{"description": "Seconds, or a duration such as 30s, 5m, 1h30m or 2d.", "anyOf": []obj{
		{"type": "number", "minimum": 0},
		{"type": "string", "pattern": `^([0-9.]+(d|h|m|s|ms))+$|^[0-9.]+$`},
		{
			"type":                 "object",
			"additionalProperties": false,
			"minProperties":        1,
			"properties":           obj{"seconds": unit, "minutes": unit, "hours": unit, "days": unit},
		},
	}}
}

func expressionSchema() obj {
	return obj{
		"type": []string{"string", "boolean", "number"}, "maxLength": MaxExpression,
		"description": "An expression of CEL, without {{ }}, such as trigger.payload.severity == \"critical\".",
	}
}

func timeSchema() obj {
	return closed("Times of day; over midnight where after is later than before.", obj{
		"after": obj{"type": "string", "pattern": clockTime.String()}, "before": obj{"type": "string", "pattern": clockTime.String()},
		"weekday": obj{"type": "array", "items": obj{"anyOf": []obj{
			{"type": "integer", "minimum": 0, "maximum": 6},
			{"type": "string", "enum": []string{
				"sun", "mon", "tue", "wed", "thu", "fri", "sat", "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
			}},
		}}},
		"timezone": text("IANA time zone, such as Europe/Berlin.", 64),
	})
}

func triggerSchema(c Catalog) obj {
	var rules []obj
	for _, id := range slices.Sorted(maps.Keys(c.Events)) {
		if config := c.Events[id].Config; config != nil {
			rules = append(rules, when("event", id, obj{"config": relaxed(config, false)}))
		}
	}
	out := closed("A trigger.", obj{
		"id":      obj{"type": "string", "pattern": slug.String(), "description": "Name of the trigger in expressions."},
		"event":   obj{"type": "string", "enum": slices.Sorted(maps.Keys(c.Events)), "description": "Event that starts runs."},
		"filter":  described(reference("expression"), "Which of these events start runs; sees trigger and now."),
		"config":  obj{"type": "object", "description": "Config of a built-in trigger."},
		"for":     described(reference("duration"), "How long the state that the event announces has to last."),
		"window":  reference("time"),
		"catchUp": choice("Which slots of a schedule run later that were missed.", CatchNone, CatchLast, CatchAll),
		"enabled": flag("Whether the trigger starts runs.", true),
	}, "event")
	if len(rules) > 0 {
		out["allOf"] = rules
	}
	return out
}

// when holds a schema for an object with a member of a value.
func when(name, value string, properties obj) obj {
	return obj{
		"if":   obj{"properties": obj{name: obj{"const": value}}, "required": []string{name}},
		"then": obj{"properties": properties},
	}
}

func conditionSchema(c Catalog) obj {
	number := obj{"type": "number"}
	status := obj{"type": "string"}
	var health struct {
		Properties struct {
			Status struct {
				Enum []string `json:"enum"`
			} `json:"status"`
		} `json:"properties"`
	}
	from := c.Health
	if from == nil {
		from = HealthSchema
	}
	if json.Unmarshal(from, &health) == nil && len(health.Properties.Status.Enum) > 0 {
		status["enum"] = health.Properties.Status.Enum
	}
	one := func(name string, schema obj) obj {
		return closed("", obj{name: schema}, name)
	}
	return obj{"description": "A condition: an expression, a list of conditions that all hold, or one of these objects.", "anyOf": []obj{
		reference("expression"),
		{"type": "array", "items": reference("condition")},
		one("expression", reference("expression")),
		one("and", reference("conditions")),
		one("or", reference("conditions")),
		one("not", reference("condition")),
		one(
			"numeric_state",
			closed("Holds between the bounds.", obj{"value": reference("expression"), "above": number, "below": number}, "value"),
		),
		one("time", reference("time")),
		one("state", closed("Holds while a system has a status.", obj{
			"entity": text("Id of a system, or a template that gives one.", MaxExpression), "status": status, "for": reference("duration"),
		}, "entity", "status")),
	}}
}

func stepSchema(c Catalog) obj {
	steps := reference("steps")
	wait := obj{"timeout": reference("duration"), "timeout_seconds": reference("duration"), "continue_on_timeout": obj{"type": "boolean"}}
	with := func(more obj) obj {
		out := maps.Clone(wait)
		maps.Copy(out, more)
		return out
	}
	var kinds, rules []obj
	for _, kind := range kindMembers {
		kinds = append(kinds, obj{"required": []string{kind}})
	}
	for _, id := range slices.Sorted(maps.Keys(c.Actions)) {
		if config := c.Actions[id].Config; config != nil {
			rules = append(rules, when("action", id, obj{"config": relaxed(config, true)}))
		}
	}
	out := closed("A step: one of the kinds, with members that all steps have.", obj{
		"id":                obj{"type": "string", "pattern": identifier.String(), "description": "Name of the step in artifacts.<id>."},
		"description":       text("Purpose, for people.", 2000),
		"enabled":           flag("Whether the step runs.", true),
		"continue_on_error": flag("Go on when the step has failed.", false),
		"timeout":           described(reference("duration"), "Longest time of an attempt."),
		"retry": closed("Repeats a failed action.", obj{
			"attempts": whole("All attempts.", 1, 10, 3), "seconds": whole("Wait before the second, doubled before each further one.", 1, 3600, 10),
		}),
		"onUnknown": choice("What happens when the effect may or may not have happened.", UnknownFails, UnknownContinues),
		"undo":      described(steps, "Steps that undo this one when the run fails later."),
		"action":    obj{"type": "string", "enum": slices.Sorted(maps.Keys(c.Actions)), "description": "Action of the platform."},
		"config":    obj{"type": "object", "description": "Config of the action; {{ }} are templates."},
		"choose": obj{"type": "array", "minItems": 1, "description": "The first branch runs whose condition holds.", "items": closed(
			"", obj{"when": reference("condition"), "sequence": steps}, "when", "sequence",
		)},
		"else": described(steps, "Steps when no branch of choose holds."),
		"parallel": obj{"description": "Steps side by side.", "anyOf": []obj{
			steps, closed("", obj{"branches": steps, "onFailure": choice("Whether the others go on.", "wait", "cancel")}, "branches"),
		}},
		"sequence": described(steps, "Steps one after another."),
		"delay": obj{"description": "Waits.", "anyOf": []obj{
			reference("duration"), {"type": "string", "pattern": `\{\{`}, closed("", obj{"template": text("", MaxExpression)}, "template"),
		}},
		"repeat": closed("Runs steps again and again.", obj{
			"count": whole("Number of turns.", 1, MaxCount, 1), "for_each": reference("expression"), "while": reference("condition"),
			"until": reference("condition"), "max_iterations": whole("Most turns.", 1, MaxIterations, defaultIterations), "sequence": steps,
		}, "sequence"),
		"variables": obj{"type": "object", "description": "Sets var.<name>; texts are templates."},
		"condition": described(reference("condition"), "Ends the run, as skipped, unless it holds."),
		"stop": obj{"description": "Ends the run.", "anyOf": []obj{
			{"type": []string{"string", "null"}}, closed("", obj{"reason": text("Template.", 2000), "error": flag("End as a failure.", false)}),
		}},
		"wait_for_trigger": closed("Waits for an event.", with(obj{
			"event":  obj{"type": "string", "enum": slices.Sorted(maps.Keys(withoutConfig(c.Events)))},
			"filter": reference("expression"), "context_key": text("Template: the subject of the event.", MaxExpression),
		}), "event"),
		"wait_until": closed("Waits until a condition holds.", with(obj{
			"condition": reference("condition"), "poll_seconds": obj{"type": "number", "deprecated": true},
		}), "condition"),
	})
	out["anyOf"] = kinds
	if len(rules) > 0 {
		out["allOf"] = rules
	}
	return out
}

func withoutConfig(events map[string]Event) map[string]Event {
	out := maps.Clone(events)
	maps.DeleteFunc(out, func(_ string, e Event) bool { return e.Config != nil })
	return out
}

// relaxed is the schema of a config in which templates may stand for values.
func relaxed(config json.RawMessage, templates bool) any {
	var tree any
	if json.Unmarshal(config, &tree) != nil {
		return true
	}
	if templates {
		relaxMembers(tree)
	}
	return tree
}

func relaxMembers(tree any) {
	node, _ := tree.(map[string]any)
	for _, name := range []string{"properties", "patternProperties", "$defs"} {
		members, _ := node[name].(map[string]any)
		for key, schema := range members {
			members[key] = relaxValue(schema)
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := node[name].(map[string]any); ok {
			node[name] = relaxValue(inner)
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := node[name].([]any)
		for _, inner := range list {
			relaxMembers(inner)
		}
	}
}

func relaxValue(schema any) any {
	node, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	relaxMembers(node)
	out := obj{"anyOf": []any{node, obj{"type": "string", "pattern": `\{\{`}}}
	if description, ok := node["description"].(string); ok && strings.TrimSpace(description) != "" {
		out["description"] = description
	}
	return out
}
