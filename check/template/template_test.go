package template_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check/template"
)

func values() map[string]any {
	return map[string]any{
		"environment": map[string]any{
			"name":    "production",
			"baseUrl": "https://shop.example.com",
			"port":    8443.0,
			"strict":  true,
			"none":    nil,
			"a b":     "spaced",
		},
		"check": map[string]any{"id": "1", "name": "Home", "intervalSeconds": 60},
		"system": map[string]any{
			"id":       "2",
			"name":     "Shop",
			"metadata": map[string]any{"region": "eu", "team": map[string]any{"name": "web"}},
		},
	}
}

func TestATemplateIsFilled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"no template":                "no template",
		"}} alone is text":           "}} alone is text",
		"{{ environment.baseUrl }}/": "https://shop.example.com/",
		"{{environment.port}}-{{\tcheck.intervalSeconds }}-{{ environment.strict }}": "8443-60-true",
		"{{ system.metadata.region }} {{ system.metadata.team.name }}":               "eu web",
		`{{ environment["a b"] }} {{ system.metadata["region"] }}`:                   "spaced eu",
		`{{ "{{" }} .Name }}`:          "{{ .Name }}",
		`{{ "\u00e9\"" }}`:             `é"`,
		"{{ check.name }}{{check.id}}": "Home1",
	} {
		parsed, err := template.Parse(text)
		require.NoError(t, err, text)
		got, err := parsed.Render(values())
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
}

func TestWhatIsNoTemplate(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"{{":                          `has {{ without environment., check. or system. behind it. To write two braces, write {{ "{{" }} (at character 1)`,
		"é{{ name }}":                 `has {{ without environment., check. or system. behind it. To write two braces, write {{ "{{" }} (at character 2)`,
		"{{ enviroment.x }}":          `has {{ without environment., check. or system. behind it. Did you mean environment? To write two braces, write {{ "{{" }} (at character 1)`,
		"{{ environment }}":           "names no value of environment, such as environment.name (at character 1)",
		"{{ environment.x":            "has a {{ whose }} is missing, or something between them that is not a reference such as {{ environment.baseUrl }} (at character 1)",
		"{{ environment.x | upper }}": "has a {{ whose }} is missing, or something between them that is not a reference such as {{ environment.baseUrl }} (at character 1)",
		"{{ check.nme }}":             "names check.nme, which there is not. Did you mean name? There are check.id, check.name, check.intervalSeconds (at character 1)",
		"{{ system.metadata }}":       "names no key of system.metadata, such as system.metadata.region (at character 1)",
		"{{ check.name.first }}":      "names a member of check.name, which has none (at character 1)",
		`{{ "open }}`:                 "has a quoted text that does not end (at character 1)",
		"{{ system.metadata" + strings.Repeat(".a", 10) + " }}": "goes more than 8 keys deep (at character 1)",
		strings.Repeat("{{ check.id }}", 101):                   "has more than 100 references",
	} {
		_, err := template.Parse(text)
		require.EqualError(t, err, says, text)
	}
}

func TestAMissingValueIsNamed(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"{{ environment.gone }}":          "environment.gone has no value",
		"{{ environment.none }}":          "environment.none has no value",
		"{{ environment.baseUrl.more }}":  "environment.baseUrl.more has no value",
		"{{ system.metadata.team }}":      "system.metadata.team is neither a text nor a number",
		"{{ system.metadata.team.mail }}": "system.metadata.team.mail has no value",
	} {
		parsed, err := template.Parse(text)
		require.NoError(t, err)
		_, err = parsed.Render(values())
		require.ErrorAs(t, err, new(*template.MissingError))
		require.EqualError(t, err, says)
	}
	parsed, err := template.Parse("{{ environment.baseUrl }}")
	require.NoError(t, err)
	_, err = parsed.Render(map[string]any{})
	require.EqualError(t, err, "environment.baseUrl has no value: the check runs without an environment")
}

func TestWhatAValueHoldsIsNotReadAgain(t *testing.T) {
	t.Parallel()
	parsed, err := template.Parse("{{ environment.x }}")
	require.NoError(t, err)
	got, err := parsed.Render(map[string]any{"environment": map[string]any{"x": "{{ system.name }} ${{ secrets.A }}"}})
	require.NoError(t, err)
	require.Equal(t, "{{ system.name }} ${{ secrets.A }}", got)
}

func TestReferencesOfATemplate(t *testing.T) {
	t.Parallel()
	parsed, err := template.Parse(`{{ check.id }}{{ system.metadata["a"] }}{{ check.id }}{{ "x" }}`)
	require.NoError(t, err)
	require.Equal(t, []string{"check.id", "system.metadata.a"}, parsed.References())
	require.True(t, template.Holds("a {{system.name}}"))
	require.False(t, template.Holds("a {{ .Name }}"))
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"a {{ environment.baseUrl }} b", `{{ "{{" }}`, `{{ system.metadata["a\"b"] }}`, "{{ check.id }}{{", "}}{{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := template.Parse(text)
		if !template.Braces(text) {
			require.NoError(t, err)
			got, err := parsed.Render(nil)
			require.NoError(t, err)
			require.Equal(t, text, got)
			return
		}
		if err != nil {
			return
		}
		if _, err := parsed.Render(values()); err != nil {
			require.ErrorAs(t, err, new(*template.MissingError))
		}
	})
}
