package sdk

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	prefix = "COUNTERSIGN_"
	// maxVariables, maxVariableBytes and maxDepth bound the variables of a payload.
	maxVariables     = 2_000
	maxVariableBytes = 64 << 10
	maxDepth         = 16
)

// Environ are the environment variables of one run.
type Environ struct {
	Variables map[string]string
	// Warnings list omitted variables with reasons, for people.
	Warnings []string
}

// setting is a row of the table of variables, with the function that fills it. Documentation and runner use the same
// rows. Earlier rows win.
type setting[C any] struct {
	Variable

	set func(e *Environ, c C)
}

// one is a row of exactly one variable; nil is absent.
func one[C any](name, description string, value func(c C) any) setting[C] {
	return setting[C]{Variable{prefix + name, description}, func(e *Environ, c C) { e.set(prefix+name, value(c)) }}
}

// tree is a row of a variable for each scalar in a value.
func tree[C any](name, parts, description string, value func(c C) any) setting[C] {
	return setting[C]{Variable{prefix + name + parts, description}, func(e *Environ, c C) { e.walk(prefix+name, value(c), 0) }}
}

func healthCheckSettings() []setting[HealthCheckContext] {
	type c = HealthCheckContext
	return []setting[c]{
		one("CHECK_ID", "The id of the health check.", func(c c) any { return c.Check.ID }),
		one("CHECK_NAME", "The name of the health check.", func(c c) any { return c.Check.Name }),
		one("CHECK_INTERVAL_SECONDS", "Seconds between two runs.", func(c c) any { return c.Check.IntervalSeconds }),
		one("SYSTEM_ID", "The id of the system that is checked.", func(c c) any { return c.System.ID }),
		one("SYSTEM_NAME", "The name of the system that is checked.", func(c c) any { return c.System.Name }),
		one("ENV_ID", "The id of the environment; absent without one.", func(c c) any { return c.environment().id }),
		one("ENV_NAME", "The name of the environment; absent without one.", func(c c) any { return c.environment().name }),
		{
			Variable{
				prefix + "ENV_<FIELD>",
				"One for each custom field of the environment: baseUrl becomes " + prefix + "ENV_BASE_URL. Lists have one element per line.",
			},
			func(e *Environ, c c) { e.fields(prefix+"ENV", c.environment().fields) },
		},
	}
}

func automationSettings() []setting[AutomationContext] {
	type c = AutomationContext
	return []setting[c]{
		one("TRIGGER_EVENT", "The id of the event that started the automation.", func(c c) any { return c.Trigger.Event }),
		tree("TRIGGER_PAYLOAD", "_<PATH>", "One for each value in the event's payload: incident.id becomes "+prefix+
			"TRIGGER_PAYLOAD_INCIDENT_ID. Lists have one element per line.", func(c c) any { return c.Trigger.Payload }),
		tree("ARTIFACT", "_<TYPE>_<PATH>", "One for each value in what earlier actions made, by the type of the artifact: "+prefix+
			"ARTIFACT_SHELL_RESULT_EXITCODE.", func(c c) any { return c.Artifacts }),
		tree("VAR", "_<NAME>", "One for each variable of the run.", func(c c) any { return c.Var }),
		one("REPEAT_INDEX", "The number of the round in a repeated block, from 0; absent elsewhere.", func(c c) any { return c.repeat().index }),
		tree(
			"REPEAT_ITEM",
			"_<PATH>",
			"The element of the round: "+prefix+"REPEAT_ITEM when it is no object, otherwise one for each value in it.",
			func(c c) any { return c.repeat().item },
		),
		one("RUN_ID", "The id of the run of the automation.", func(c c) any { return c.Automation.RunID }),
		one("AUTOMATION_ID", "The id of the automation.", func(c c) any { return c.Automation.AutomationID }),
		one(
			"CONTEXT_KEY",
			"What groups runs, such as the id of an incident; empty when nothing does.",
			func(c c) any { return c.Automation.ContextKey },
		),
	}
}

type environmentValues struct {
	id, name any
	fields   map[string]any
}

// environment returns nil values without an environment.
func (c HealthCheckContext) environment() environmentValues {
	if c.Environment == nil {
		return environmentValues{}
	}
	return environmentValues{c.Environment.ID, c.Environment.Name, c.Environment.Fields}
}

type repeatValues struct{ index, item any }

func (c AutomationContext) repeat() repeatValues {
	if c.Repeat == nil {
		return repeatValues{}
	}
	return repeatValues{c.Repeat.Index, c.Repeat.Item}
}

// Variables returns the environment variables of a shell context; nil for TypeScript.
func (c Context) Variables() []Variable {
	switch c {
	case HealthCheckShell:
		return table(healthCheckSettings())
	case ActionShell:
		return table(automationSettings())
	default:
		return nil
	}
}

func table[C any](settings []setting[C]) []Variable {
	rows := make([]Variable, 0, len(settings))
	for _, s := range settings {
		rows = append(rows, s.Variable)
	}
	return rows
}

// Environ returns the environment variables of a shell health check.
func (c HealthCheckContext) Environ() Environ { return environ(healthCheckSettings(), c) }

// Environ returns the environment variables of a shell action.
func (c AutomationContext) Environ() Environ { return environ(automationSettings(), c) }

func environ[C any](settings []setting[C], c C) Environ {
	e := Environ{Variables: map[string]string{}}
	for _, s := range settings {
		s.set(&e, c)
	}
	return e
}

// fields sets a variable for each custom field. Names are split at camel-case boundaries.
func (e *Environ) fields(name string, fields map[string]any) {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if key := Key(splitCamelCase(field)); key != "" {
			e.walk(name+"_"+key, fields[field], 1)
		} else {
			e.warn("the field %q has no letters or digits to name a variable after", field)
		}
	}
}

// walk sets a variable for each scalar below a value.
func (e *Environ) walk(name string, value any, depth int) {
	switch v := value.(type) {
	case map[string]any:
		if depth == maxDepth {
			e.warn("what lies deeper in %s than %d levels is left out", name, maxDepth)
			return
		}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			if key := Key(member); key != "" {
				e.walk(name+"_"+key, v[member], depth+1)
			} else {
				e.warn("the member %q of %s has no letters or digits to name a variable after", member, name)
			}
		}
	case []any:
		lines := make([]string, 0, len(v))
		for _, element := range v {
			lines = append(lines, text(element))
		}
		e.set(name, strings.Join(lines, "\n"))
	default:
		e.set(name, value)
	}
}

// set sets one variable, unless the value is nil. The first one of a name wins.
func (e *Environ) set(name string, value any) {
	if value == nil {
		return
	}
	t := text(value)
	if _, taken := e.Variables[name]; taken {
		e.warn("%s is set already; another value for it is left out", name)
		return
	}
	if len(e.Variables) == maxVariables {
		e.warn("%s is left out: there are %d variables already", name, maxVariables)
		return
	}
	if len(t) > maxVariableBytes {
		e.warn("%s is left out: it is longer than %d bytes", name, maxVariableBytes)
		return
	}
	if strings.ContainsRune(t, 0) {
		e.warn("%s is left out: it holds a NUL character", name)
		return
	}
	e.Variables[name] = t
}

// maxWarnings bounds the list of warnings.
const maxWarnings = 20

func (e *Environ) warn(format string, args ...any) {
	if len(e.Warnings) < maxWarnings {
		e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
	}
}

// Key converts a name to a part of a variable's name: upper case, with one underscore for each run of other characters
// than ASCII letters and digits. It is "" when nothing is left.
func Key(name string) string {
	var key strings.Builder
	for _, r := range strings.ToUpper(name) {
		switch {
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			key.WriteRune(r)
		case key.Len() > 0 && !strings.HasSuffix(key.String(), "_"):
			key.WriteByte('_')
		}
	}
	return strings.TrimSuffix(key.String(), "_")
}

// splitCamelCase puts an underscore where a capital begins a word: baseUrl, HTTPServer.
func splitCamelCase(name string) string {
	runes := []rune(name)
	var split strings.Builder
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			afterSmall := unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])
			beforeSmall := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterSmall || beforeSmall {
				split.WriteByte('_')
			}
		}
		split.WriteRune(r)
	}
	return split.String()
}

// text formats a scalar as text, and anything else as JSON.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		return v.String()
	}
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(data)
}
