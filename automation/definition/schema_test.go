package definition_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"countersign/automation/definition"
	"countersign/internal/json/schema"
)

// written is a text as an editor sees it.
func written(t *testing.T, text string) any {
	t.Helper()
	var tree any
	require.NoError(t, yaml.Unmarshal([]byte(text), &tree))
	raw, err := json.Marshal(tree)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	require.NoError(t, d.Decode(&value))
	return value
}

func TestTheSchemaForEditorsFitsDefinitions(t *testing.T) {
	t.Parallel()
	document, err := schema.Parse(definition.Schema(catalog()))
	require.NoError(t, err)
	d, issues := compile(t, whole(t))
	require.Empty(t, issues)
	for _, text := range []string{
		whole(t), string(definition.Text(d)),
		head + "  - {delay: {minutes: 5}}\n  - {stop: }\n  - condition: [\"true\", {or: [\"true\"]}]\n  - parallel: [{stop: x}]\n",
		head + "  - {action: incident.create, config: {title: a, priority: \"{{ 1 }}\", systemIds: \"{{ [] }}\"}}\n",
	} {
		_, issues := compile(t, text)
		require.False(t, definition.Failed(issues), messages(issues))
		require.Empty(t, document.Check(written(t, text)), text)
	}
	for name, text := range map[string]string{
		"member": head + "  - {stop: x, nothing: 1}\n", "action": head + "  - {action: incident.creat}\n",
		"config": head + "  - {action: incident.create, config: {title: 5, systemIds: []}}\n",
		"event":  "name: a\ntriggers: [{event: x}]\nactions: []\n", "kind": head + "  - {id: a}\n", "mode": head + "  - stop: x\nmode: fast\n",
		"schedule": "name: a\ntriggers: [{event: automation.interval, config: {intervalSeconds: 0}}]\nactions: []\n",
	} {
		require.NotEmpty(t, document.Check(written(t, text)), name)
	}
}
