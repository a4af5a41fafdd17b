package definition_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/automation/action"
	"countersign/automation/definition"
	"countersign/tool"
)

const system = `"systemId":{"type":"string"},"systemName":{"type":"string"}`

func object(required, properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":[` + required + `],"properties":{` + properties + `}}`)
}

// catalog is what definitions of these tests may name.
func catalog() definition.Catalog {
	incident := action.ArtifactType{ID: "incident", Schema: object(`"incidentId","status"`,
		`"incidentId":{"type":"string"},"status":{"type":"string","enum":["open","resolved"]},"severity":{"type":"string"}`)}
	health := object(`"systemId","systemName","status"`, system+`,"status":{"type":"string","enum":["healthy","degraded","unhealthy"]}`)
	return definition.Catalog{
		DefaultZone: "Europe/Berlin",
		Events: map[string]definition.Event{
			"healthcheck.system_degraded": {Schema: health, Subject: "catalog.system", Opposites: []string{"healthcheck.system_healthy"}},
			"healthcheck.system_healthy":  {Schema: health, Subject: "catalog.system", Opposites: []string{"healthcheck.system_degraded"}},
			"incident.created": {Subject: "incident", Schema: object(
				`"incidentId","severity"`,
				`"incidentId":{"type":"string"},"severity":{"type":"string","enum":["minor","major","critical"]},"systemIds":{"type":"array","items":{"type":"string"}}`,
			)},
			definition.TriggerManual: {Schema: json.RawMessage(`{"type":"object"}`), Config: object("", "")},
			definition.TriggerCron: {
				Schema: object(`"slot"`, `"slot":{"type":"string"}`),
				Config: object(`"cronPattern"`, `"cronPattern":{"type":"string"},"timezone":{"type":"string"}`),
			},
			definition.TriggerInterval: {
				Schema: object(`"slot"`, `"slot":{"type":"string"}`),
				Config: object(`"intervalSeconds"`, `"intervalSeconds":{"type":"integer","minimum":1,"maximum":31536000}`),
			},
			definition.TriggerNumeric: {
				Subject: "catalog.system",
				Schema:  object(`"value"`, `"value":{"type":"number"}`),
				Config: object(
					`"systemId","field"`,
					`"systemId":{"type":"string","format":"uuid"},"field":{"type":"string"},"above":{"type":"number"},"below":{"type":"number"},"results":{"type":"integer"}`,
				),
			},
		},
		Actions: map[string]action.Action{
			"automation.log": {ID: "automation.log", Effect: tool.Read, Config: object(`"message"`,
				`"message":{"type":"string","maxLength":500},"level":{"type":"string","enum":["info","warning"]}`)},
			"incident.create": {
				ID:       "incident.create",
				Effect:   tool.Mutate,
				Produces: []action.ArtifactType{incident},
				Config: object(
					`"title","systemIds"`,
					`"title":{"type":"string"},"severity":{"type":"string","enum":["minor","major","critical"]},"systemIds":{"type":"array","items":{"type":"string"}},"priority":{"type":"integer"}`,
				),
			},
			"incident.resolve": {
				ID:     "incident.resolve",
				Effect: tool.Mutate,
				Config: object(`"incidentId"`, `"incidentId":{"type":"string"},"message":{"type":"string"}`),
			},
		},
	}
}

func compile(t testing.TB, text string) (definition.Definition, []definition.Issue) {
	t.Helper()
	started := time.Now()
	d, issues := definition.Compile([]byte(text), catalog())
	require.Less(t, time.Since(started), 10*time.Second)
	for _, i := range issues {
		require.NotEmpty(t, i.Message)
	}
	return d, issues
}

func messages(issues []definition.Issue) string {
	var out strings.Builder
	for _, i := range issues {
		fmt.Fprintf(&out, "%d:%d %s: %s (%s, %v)\n", i.Line, i.Column, i.Path, i.Message, i.Nearest, i.Warning)
	}
	return out.String()
}

func whole(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/whole.yaml")
	require.NoError(t, err)
	return string(text)
}

func TestADefinitionWithEveryKindOfStep(t *testing.T) {
	t.Parallel()
	d, issues := compile(t, whole(t))
	require.Empty(t, messages(issues))
	raw, err := json.MarshalIndent(d, "", "\t")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/whole.json")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile("testdata/whole.json", append(raw, '\n'), 0o600))
		return
	}
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(raw))

	kinds := map[definition.Kind]bool{}
	var paths []string
	for path, s := range definition.Steps(&d) {
		kinds[s.Kind()] = true
		paths = append(paths, path)
		same, ok := definition.At(&d, path)
		require.True(t, ok)
		require.Same(t, s, same)
	}
	require.Len(t, kinds, 11)
	require.Subset(t, paths, []string{
		"actions[0]",
		"actions[0].undo[0]",
		"actions[3].choose[0].sequence[0]",
		"actions[3].else[0]",
		"actions[4].parallel.branches[1].sequence[0]",
		"actions[5].repeat.sequence[0]",
		"onFailure[0]",
	})
	_, ok := definition.At(&d, "actions[99]")
	require.False(t, ok)
}

// head is a valid beginning; a test adds its steps.
const head = `name: Test
triggers:
  - event: healthcheck.system_degraded
    for: 5m
  - event: incident.created
actions:
`

func TestIssuesOfOneDefinitionComeTogether(t *testing.T) {
	t.Parallel()
	_, issues := compile(t, `name: Test
triggers:
  - event: healthcheck.system_degraded
    filter: trigger.payload.sytemName == "x"
conditions:
  - ""
  - and: []
  - "{{ trigger.payload.systemId }}"
  - numeric_state: {value: trigger.subject}
actions:
  - id: a1
    action: incident.create
    config:
      title: "{{ trigger.payload.systemName }} is {{ trigger.payload.statu }}"
      systemIds: ["{{ trigger.payload.systemId }}"]
  - action: automation.log
    config:
      message: "{{ artifacts.a1.incident.sevrity }}"
`)
	text := messages(issues)
	for _, want := range []string{
		"4:29 triggers[0].filter: `trigger.payload.sytemName` does not exist in healthcheck.system_degraded. Did you mean systemName? (systemName, false)",
		"6:5 conditions[0]: The expression is empty.",
		"7:10 conditions[1].and: The list of conditions is empty.",
		"8:6 conditions[2]: This is an expression, not a text with templates: write it without {{ and }}.",
		"9:20 conditions[3].numeric_state: numeric_state needs above, below or both.",
		"9:28 conditions[3].numeric_state.value: The expression has to give a number, and gives a text.",
		"14:70 actions[0].config.title: `trigger.payload.statu` does not exist in healthcheck.system_degraded. Did you mean status? (status, false)",
		"18:42 actions[1].config.message: `artifacts.a1.incident.sevrity` does not exist. Did you mean severity? (severity, false)",
	} {
		require.Contains(t, text, want)
	}
	require.Len(t, issues, 8, text)
	require.True(t, definition.Failed(issues))
}

func TestWrongSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ steps, want string }{
		"unknown action":         {`[{action: incident.creat, config: {}}]`, `There is no action "incident.creat". Did you mean incident.create? (incident.create`},
		"unknown member":         {`[{action: automation.log, confg: {message: x}}]`, "confg is not known here. Did you mean config?"},
		"unknown config":         {`[{action: automation.log, config: {mesage: x}}]`, "actions[0].config.mesage: This is not known here. Did you mean message?"},
		"missing config":         {`[{action: automation.log}]`, "actions[0].config.message: This is required"},
		"wrong config":           {`[{action: automation.log, config: {message: 5}}]`, "actions[0].config.message: This must be"},
		"wrong template type":    {`[{action: incident.create, config: {title: "{{ size([1]) }}", systemIds: []}}]`, "This has to be a text, and the template gives a number. Write string(value)"},
		"template for a number":  {`[{action: incident.create, config: {title: a, priority: "{{ trigger.event }}", systemIds: []}}]`, "This has to be a number, and the template gives a text."},
		"two things":             {`[{stop: x, delay: 5}]`, "A step does one thing, and this one has several: stop, delay."},
		"nothing":                {`[{id: a}]`, "A step needs one of action, choose"},
		"no step":                {`[5]`, "This has to be an object, and is a number."},
		"no list":                {`{action: automation.log}`, "This has to be a list, and is an object."},
		"id with hyphen":         {`[{id: a-b, stop: x}]`, "An id has 1 to 64 letters"},
		"id twice":               {`[{id: a, delay: 5}, {id: a, delay: 5}]`, "The id a stands at actions[0] already."},
		"config beside delay":    {`[{delay: 5, config: {}}]`, "config goes with action alone, and this step has delay."},
		"else without choose":    {`[{delay: 5, else: []}]`, "else goes with choose alone"},
		"branch without when":    {`[{choose: [{sequence: []}]}]`, "A branch needs when"},
		"empty choose":           {`[{choose: []}]`, "choose needs a branch at least"},
		"empty sequence":         {`[{sequence: []}]`, "sequence needs a step at least"},
		"endless loop":           {`[{repeat: {sequence: []}}]`, "repeat needs exactly one of count, for_each, while, until, so that it ends"},
		"two loops":              {`[{repeat: {count: 3, for_each: "[1]", sequence: []}}]`, "repeat needs exactly one of"},
		"too many turns":         {`[{repeat: {count: 10001, sequence: []}}]`, "whole number from 1 to 10000"},
		"for_each of no list":    {`[{repeat: {for_each: trigger.subject, sequence: []}}]`, "has to give a list, and gives a text"},
		"retry without end":      {`[{action: automation.log, config: {message: x}, retry: {attempts: 99}}]`, "whole number from 1 to 10"},
		"timeout too long":       {`[{action: automation.log, config: {message: x}, timeout: 2d}]`, "This duration has to be from 1s to 1d."},
		"wait too long":          {`[{wait_until: {condition: "true", timeout: 31d}}]`, "This duration has to be from 1s to 30d."},
		"wrong duration":         {`[{delay: five minutes}]`, "is no duration"},
		"empty duration":         {`[{delay: {}}]`, "The duration is empty"},
		"wait for nothing":       {`[{wait_for_trigger: {timeout: 5m}}]`, "wait_for_trigger needs an event."},
		"wait for a schedule":    {`[{wait_for_trigger: {event: automation.cron}}]`, "no event that could be waited for"},
		"wait for unknown":       {`[{wait_for_trigger: {event: incident.create}}]`, "Did you mean incident.created?"},
		"filter of a wait":       {`[{wait_for_trigger: {event: incident.created, filter: event.payload.incidentI == "x"}}]`, "Did you mean incidentId?"},
		"event outside":          {`[{condition: event.payload.x == 1}]`, "event exists in the filter of wait_for_trigger only"},
		"repeat outside":         {`[{condition: repeat.index == 1}]`, "repeat exists in the steps of a loop only."},
		"one event alone":        {`[{condition: trigger.payload.incidentId == "x"}]`, "is no member of the events healthcheck.system_degraded: ask has(trigger.payload.incidentId) first."},
		"no health of incidents": {`[{condition: health.system.status == "healthy"}]`, "does not exist for incident.created: ask has(health.system) first"},
		"unknown step":           {`[{id: a, delay: 5}, {condition: artifacts.b.result.status == "success"}]`, "`artifacts.b` does not exist. There is a."},
		"later step":             {`[{condition: artifacts.b.result.status == "success"}, {id: b, delay: 5}]`, "`artifacts.b` is not available here, since the step b has not run before: ask has(artifacts.b) first."},
		"other branch":           {`[{choose: [{when: "true", sequence: [{id: b, delay: 5}]}]}, {condition: artifacts.b.wait.timedOut}]`, "`artifacts.b.wait` does not exist"},
		"some paths":             {`[{choose: [{when: "true", sequence: [{id: b, delay: 5}]}]}, {condition: artifacts.b.result.status == "success"}]`, "is missing on some paths through the step actions[0]"},
		"beside":                 {`[{parallel: [{id: a, delay: 5}, {condition: artifacts.a.result.status == "success"}]}]`, "has not run before"},
		"disabled":               {`[{id: a, delay: 5, enabled: false}, {condition: artifacts.a.result.status == "success"}]`, "is never available, since the step a is disabled"},
		"failed before": {
			`[{id: a, action: incident.create, continue_on_error: true, config: {title: x, systemIds: []}}, {condition: artifacts.a.incident.status == "open"}]`,
			"`artifacts.a.incident` is missing where the step a failed",
		},
		"empty loop":      {`[{repeat: {for_each: "[]", sequence: [{id: a, delay: 5}]}}, {condition: artifacts.a.result.status == "success"}]`, "is missing where the loop had no turn"},
		"unknown var":     {`[{variables: {count: 1}}, {condition: var.cout > 1}]`, "Did you mean count?"},
		"type of var":     {`[{variables: {count: 1}}, {condition: var.count == "1"}]`, "does not go with a number and a text"},
		"var of a branch": {`[{choose: [{when: "true", sequence: [{variables: {a: 1}}]}]}, {condition: var.a > 1}]`, "`var.a` is missing on some paths"},
		"status":          {`[{condition: {state: {entity: "{{ trigger.subject }}", status: degrade}}}]`, `"degrade" is no status`},
		"entity":          {`[{condition: {state: {entity: payments, status: degraded}}}]`, "is no id of a system"},
		"time":            {`[{condition: {time: {after: "8:00"}}}]`, "time of day as HH:mm"},
		"weekday":         {`[{condition: {time: {weekday: [7]}}}]`, "A weekday is a number from 0 (Sunday) to 6"},
		"zone":            {`[{condition: {time: {after: "08:00", timezone: Berlin}}}]`, "time zone is no name of the IANA"},
		"bounds":          {`[{condition: {numeric_state: {value: "1", above: 5, below: 3}}}]`, "No number lies above 5 and below 3"},
		"two conditions":  {`[{condition: {and: ["true"], or: ["true"]}}]`, "A condition has one of"},
		"no boolean":      {`[{condition: trigger.subject}]`, "has to give true or false, and gives a text"},
		"regex bomb":      {`[{condition: 'trigger.subject.matches("((a{100}){100}){100}")'}]`, "regular expression"},
		"undo of undo":    {`[{delay: 5, undo: [{delay: 5, undo: [{delay: 5}]}]}]`, "A step of onFailure or undo has no undo."},
		"undo of stop":    {`[{stop: x, undo: [{delay: 5}]}]`, "no effect that could be undone"},
		"onUnknown":       {`[{action: automation.log, config: {message: x}, onUnknown: retry}]`, `"retry" is none of fail, continue.`},
		"unquoted":        {`[{action: automation.log, config: {message: {{ trigger.subject }}}}]`, "A text that begins with {{ needs quotes"},
		"half a template": {`[{action: automation.log, config: {message: "{{ trigger.subject"}}]`, "has no }}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := compile(t, head+"  "+c.steps+"\n")
			require.Contains(t, messages(issues), c.want)
			require.True(t, definition.Failed(issues))
			require.NotZero(t, issues[0].Line)
		})
	}
}

func TestRightSteps(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"guard by event":      `[{condition: trigger.event == "incident.created"}, {condition: trigger.payload.severity == "major"}]`,
		"guard by branch":     `[{choose: [{when: trigger.event == "incident.created", sequence: [{condition: trigger.payload.severity == "major"}]}], else: [{condition: trigger.payload.status == "degraded"}]}]`,
		"guard by has":        `[{choose: [{when: "true", sequence: [{id: b, delay: 5}]}]}, {condition: 'has(artifacts.b) && artifacts.b.result.status == "success"'}]`,
		"both branches":       `[{choose: [{when: "true", sequence: [{variables: {a: 1}}]}], else: [{variables: {a: 2}}]}, {condition: var.a > 1}]`,
		"other branch stops":  `[{choose: [{when: "false", sequence: [{stop: nothing}]}], else: [{variables: {a: 2}}]}, {condition: var.a > 1}]`,
		"all of parallel":     `[{parallel: [{id: a, delay: 5}, {id: b, delay: 5}]}, {condition: artifacts.a.result.status == artifacts.b.result.status}]`,
		"result of a failure": `[{id: a, delay: 5, continue_on_error: true}, {condition: artifacts.a.result.status == "failed"}]`,
		"until sees the body": `[{repeat: {until: var.n > 3, sequence: [{variables: {n: "{{ repeat.index }}"}}]}}, {condition: var.n > 1}]`,
		"items":               `[{repeat: {for_each: '[{"a": 1}]', sequence: [{condition: repeat.item.a > repeat.index}]}}]`,
		"timed out":           `[{id: w, wait_until: {condition: "true", timeout: 5m}}, {condition: artifacts.w.wait.timedOut}]`,
		"wait with filter":    `[{wait_for_trigger: {event: healthcheck.system_healthy, filter: event.payload.systemId == trigger.subject, timeout_seconds: 60}}]`,
		"duration texts":      `[{delay: 5}, {delay: 1h30m}, {delay: {minutes: 5, seconds: 3}}, {delay: 2d}, {delay: "{{ 5 * 60 }}"}]`,
		"secrets":             `[{action: automation.log, config: {message: "${{ secrets.KEY }}"}}]`,
		"old names":           `[{condition: {and: ["true", {not: "false"}, {or: ["true"]}]}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := compile(t, head+"  "+steps+"\n")
			require.Empty(t, messages(issues))
		})
	}
}

func TestWrongTriggers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ triggers, want string }{
		"none":               {`[]`, "needs a trigger"},
		"no event":           {`[{id: a}]`, "A trigger needs an event"},
		"unknown":            {`[{event: incident.create}]`, "Did you mean incident.created? (incident.created"},
		"for without state":  {`[{event: incident.created, for: 5m}]`, "announces no state that could last"},
		"cron":               {`[{event: automation.cron, config: {cronPattern: 61 * * * *}}]`, "The schedule has a wrong minute"},
		"cron zone":          {`[{event: automation.cron, config: {cronPattern: 0 9 * * *, timezone: Berlin}}]`, "The time zone is no name"},
		"cron missing":       {`[{event: automation.cron}]`, "triggers[0].config.cronPattern: This is required"},
		"interval":           {`[{event: automation.interval, config: {intervalSeconds: 0}}]`, "triggers[0].config.intervalSeconds: This must be at least 1"},
		"numeric":            {`[{event: automation.numeric_state, config: {systemId: 0190b1de-0000-7000-8000-000000000001, field: latencyMs}}]`, "needs above, below or both"},
		"config of events":   {`[{event: incident.created, config: {a: 1}}]`, "has no config"},
		"catch up of events": {`[{event: incident.created, catchUp: all}]`, "catchUp is for schedules"},
		"two ids":            {`[{id: a, event: incident.created}, {id: a, event: incident.created}]`, "stands at two triggers"},
		"id":                 {`[{id: A b, event: incident.created}]`, "small letters"},
		"filter sees less":   {`[{event: incident.created, filter: var.x == 1}]`, "The filter of a trigger sees trigger and now only"},
		"filter sees own":    {`[{event: incident.created, filter: trigger.payload.status == "x"}, {event: healthcheck.system_degraded}]`, "does not exist in incident.created"},
		"window":             {`[{event: incident.created, window: {}}]`, "needs after, before or weekday"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := compile(t, "name: Test\ntriggers: "+c.triggers+"\nactions: [{stop: x}]\n")
			require.Contains(t, messages(issues), c.want)
			require.True(t, definition.Failed(issues))
		})
	}
	without := catalog()
	without.DefaultZone = ""
	text := []byte("name: Test\ntriggers: [{event: automation.cron, config: {cronPattern: 0 9 * * *}}]\nactions: [{stop: x}]\n")
	_, issues := definition.Compile(text, without)
	require.Contains(t, messages(issues), "A schedule needs a timezone")
	d, issues := definition.Compile(text, catalog())
	require.Empty(t, issues)
	require.JSONEq(
		t,
		`{"cronPattern":"0 9 * * *","timezone":"Europe/Berlin"}`,
		string(d.Triggers[0].Config),
		"the stored definition names the default",
	)
}

func TestTextsThatAreNoDefinitions(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 9), ","))
	}
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"empty":           {"", "The definition is empty.", 1},
		"comment":         {"# nothing\n", "The definition is empty.", 1},
		"list":            {"- a\n", "This has to be an object, and is a list.", 1},
		"bytes":           {"name: \xff\n", "not valid UTF-8", 0},
		"large":           {"name: " + strings.Repeat("x", 1<<20), "at most 262144 bytes", 0},
		"bomb":            {bomb, "Anchors (&a) are not supported", 1},
		"alias":           {"name: *a\n", "needs quotes", 1},
		"cron":            {"name: a\ntriggers:\n  - event: automation.cron\n    config:\n      cronPattern: */5 * * * *\n", "A text that begins with * needs quotes", 5},
		"tab":             {"name: a\ntriggers:\n\t- event: x\n", "A tab stands in the indentation", 3},
		"twice":           {"name: a\nname: b\n", "name stands twice: the first is in line 1.", 2},
		"twice deep":      {head + "  - {action: automation.log, config: {message: a, message: b}}\n", "message stands twice", 7},
		"on":              {"name: a\nallowSelf: on\n", "Older YAML reads on as true or false", 2},
		"no":              {"name: no\n", "Older YAML reads no as true or false", 1},
		"octal":           {"name: a\nmax_runs: 010\n", "different numbers", 2},
		"number":          {"name: 5\n", "This has to be a text, and is a number: write quotes around it.", 1},
		"merge":           {"name: a\n<<: {mode: single}\n", "Merge keys", 2},
		"tag":             {"name: !!binary aGk=\n", "Tags (!!binary) are not supported", 1},
		"two documents":   {"name: a\n---\nname: b\n", "more than one document", 2},
		"deep brackets":   {"name: " + strings.Repeat("[", 5000), "nested more than 100 deep", 1},
		"deep lines":      {"name: a\nx:\n" + strings.Repeat("- ", 3000) + "a\n", "nested more than 100 deep", 3},
		"unclosed":        {"name: \"a\n", "cannot be read as YAML", 0},
		"colon":           {"name: a: b\n", "a colon stands where no member can begin", 1},
		"control":         {"name: a\x01b\n", "U+0001", 1},
		"CR":              {"name: a\rmode: single\n", "ends with CR alone", 1},
		"unknown":         {"nmae: a\n", "nmae is not known here. Did you mean name?", 1},
		"runAs":           {"name: a\nrunAs: b\n", "runAs belongs to the automation", 2},
		"key of a list":   {"? [a]\n: b\n", "The name of a member has to be a text.", 1},
		"mode":            {"name: a\nmode: singel\n", "Did you mean single?", 2},
		"steps":           {head + strings.Repeat("  - stop: x\n", 10_000), "at most 500 steps", 507},
		"deep steps":      {head + "  - " + strings.Repeat("{sequence: [", 40) + strings.Repeat("]}", 40) + "\n", "Steps are nested at most 16 deep.", 0},
		"deep conditions": {"name: a\nconditions: [" + strings.Repeat("{not: ", 40) + "'true'" + strings.Repeat("}", 40) + "]\n", "Conditions are nested at most 16 deep.", 0},
		"limits":          {"name: a\nlimits: {effects: 20000}\n", "whole number from 0 to 10000", 2},
		"long":            {"name: " + strings.Repeat("x", 201) + "\n", "at most 200 characters", 1},
		"systems":         {"name: a\nuses_state: [payments]\n", "no id of a system", 2},
		"expression":      {"name: a\nconditions: ['" + strings.Repeat("x", 4001) + "']\n", "at most 4000 characters", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := compile(t, c.text)
			text := messages(issues)
			require.Contains(t, text, c.want)
			require.True(t, definition.Failed(issues))
			require.LessOrEqual(t, len(issues), 201)
			if c.line > 0 {
				require.True(t, slices.ContainsFunc(issues, func(i definition.Issue) bool {
					return i.Line == c.line && strings.Contains(i.Message, c.want)
				}), text)
			}
		})
	}
}

func TestLineEndsAndByteOrderMark(t *testing.T) {
	t.Parallel()
	plain, issues := compile(t, whole(t))
	require.Empty(t, issues)
	windows, issues := compile(t, strings.ReplaceAll(whole(t), "\n", "\r\n"))
	require.Empty(t, issues)
	require.Equal(t, plain, windows)
	marked, issues := compile(t, "\ufeff"+whole(t))
	require.Contains(t, messages(issues), "byte order mark")
	require.False(t, definition.Failed(issues))
	require.Equal(t, plain, marked)
}

func TestWarningsDoNotPreventSaving(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ steps, want string }{
		"after stop":     {`[{stop: x}, {delay: 5}]`, "never reached"},
		"after branches": {`[{choose: [{when: "true", sequence: [{stop: x}]}], else: [{stop: z}]}, {delay: 5}]`, "never reached"},
		"itself":         {`[{action: incident.resolve, config: {incidentId: x}}]`, "incident.resolve may cause the event incident.created itself"},
		"optional":       {`[{condition: trigger.event == "incident.created"}, {condition: size(trigger.payload.systemIds) > 0}]`, "can be missing"},
		"never":          {`[{condition: trigger.event == "incident.creatd"}]`, "Did you mean incident.created?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := compile(t, head+"  "+c.steps+"\n")
			require.Contains(t, messages(issues), c.want)
			require.False(t, definition.Failed(issues), messages(issues))
		})
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0s", "90": "1m30s", "1h30m": "1h30m", "2d": "2d", "1d12h": "1d12h", "1.5": "1.5s", "500ms": "0.5s", "48h": "2d",
	} {
		d, err := definition.ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d.String())
		again, err := definition.ParseDuration(d.String())
		require.NoError(t, err)
		require.Equal(t, d, again)
	}
	for _, text := range []string{"", "x", "-5", "5 m", "d", "1d-2h", "1e99", "NaN", "-1h"} {
		_, err := definition.ParseDuration(text)
		require.Error(t, err, text)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(whole(f))
	f.Add(head + "  - {action: automation.log, config: {message: \"{{ trigger.payload.x }}\"}}\n")
	f.Add("name: *a\n? [x]\n: <<\n")
	f.Add("a: &a [*a]\n")
	f.Add("name: |\n  x\n\ttriggers: >-\n    y\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, issues := compile(t, text)
		for _, i := range issues {
			if i.Line < 0 || i.Column < 0 || i.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%+v", i)
			}
		}
		if !definition.Failed(issues) && (d.Name == "" || len(d.Triggers) == 0 || d.MaxRuns == 0) {
			t.Fatalf("%+v", d)
		}
		for path, s := range definition.Steps(&d) {
			if same, ok := definition.At(&d, path); !ok || same != s {
				t.Fatal(path)
			}
		}
	})
}

func TestTemplatesAreTakenOutOfAConfig(t *testing.T) {
	t.Parallel()
	rest, paths := definition.Untemplated(
		json.RawMessage(`{"a":"{{ var.x }}","b":{"c":["x","y {{ var.x }}"],"d":1.50},"e":"${{ secrets.K }}"}`),
	)
	require.JSONEq(t, `{"b":{"c":["x"],"d":1.50},"e":"${{ secrets.K }}"}`, string(rest))
	require.Equal(t, []string{"a", "b.c[1]"}, paths)
}

// BenchmarkCompile compiles 200 steps, each of which has an id and names the one before.
func BenchmarkCompile(b *testing.B) {
	var text strings.Builder
	text.WriteString(head + "  - {id: s0, action: incident.create, config: {title: a, systemIds: []}}\n")
	for i := 1; i < 200; i++ {
		fmt.Fprintf(
			&text,
			"  - {id: s%d, action: incident.create, config: {title: \"{{ artifacts.s%d.incident.incidentId }}\", systemIds: []}}\n",
			i,
			i-1,
		)
	}
	for b.Loop() {
		if _, issues := definition.Compile([]byte(text.String()), catalog()); definition.Failed(issues) {
			b.Fatal(messages(issues))
		}
	}
}

func TestOnFailureSeesWhatMayHaveHappened(t *testing.T) {
	t.Parallel()
	text := head + `  - {id: a, action: incident.create, config: {title: x, systemIds: []}}
  - variables: {n: 1}
onFailure:
  - condition: %s
`
	for condition, want := range map[string]string{
		`artifacts.a.incident.status == "open"`: "`artifacts.a` is missing where the run failed before",
		`var.n == 1`:                            "`var.n` is missing where the run failed before",
		`'has(artifacts.a) && artifacts.a.incident.status == "open"'`: "",
		`'has(var.n) && var.n == 1'`:                                  "",
	} {
		_, issues := compile(t, fmt.Sprintf(text, condition))
		if want == "" {
			require.False(t, definition.Failed(issues), messages(issues))
			continue
		}
		require.Contains(t, messages(issues), want)
	}
}
