package sdk_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/script/sdk"
)

// undocumented are the lines of declarations that are no comments.
func undocumented(declarations string) []string {
	var lines []string
	for line := range strings.Lines(declarations) {
		if text := strings.TrimSpace(line); !strings.HasPrefix(text, "/*") && !strings.HasPrefix(text, "*") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestABriefDescriptionHasEveryTypeAndMember(t *testing.T) {
	t.Parallel()
	for _, c := range sdk.Contexts() {
		whole, err := sdk.Describe(c)
		require.NoError(t, err)
		brief := whole.Brief()
		// Escaped for HTML, too: some who pass it on do that.
		text, err := json.Marshal(brief)
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), sdk.BriefSize, c)
		module, typed := c.Module()
		if !typed {
			require.Equal(t, whole, brief)
			continue
		}
		require.True(t, strings.HasPrefix(brief.Declarations, module.File.Text), "the module fits with its documentation")
		require.NotContains(t, brief.Declarations, "declare var")
		brief.Declarations = whole.Declarations
		require.Equal(t, whole, brief, "nothing else is shorter")
	}
}

func TestABriefDescriptionNamesEveryGlobal(t *testing.T) {
	t.Parallel()
	whole, err := sdk.Describe(sdk.HealthCheckScript)
	require.NoError(t, err)
	brief := whole.Brief().Declarations
	globals := regexp.MustCompile(`(?m)^declare (?:var|function) (\w+)`).FindAllStringSubmatch(sdk.Globals().Text, -1)
	require.Greater(t, len(globals), 20)
	for _, global := range globals {
		require.Regexp(t, `\b`+global[1]+`\b`, brief)
	}
	object := regexp.MustCompile(`(?ms)^interface (Console|Crypto|Performance) \{\n(.*?)^\}`).FindAllStringSubmatch(sdk.Globals().Text, -1)
	require.Len(t, object, 3)
	for _, one := range object {
		for _, member := range regexp.MustCompile(`(?m)^  (?:readonly )?(\w+)[(<:]`).FindAllStringSubmatch(one[2], -1) {
			require.Regexp(t, `\b`+member[1]+`\b`, brief, one[1])
		}
	}
}

func TestDeclarationsThatAreTooLongLoseTheirDocumentationAndNothingElse(t *testing.T) {
	t.Parallel()
	whole, err := sdk.Describe(sdk.ActionScript)
	require.NoError(t, err)
	short := whole.Brief().Declarations
	whole.Declarations = strings.ReplaceAll(whole.Declarations, "  /** ", "  /**\n   * "+strings.Repeat("Said at length. ", 100)+"\n   * ")
	brief := whole.Brief()
	text, err := json.Marshal(brief)
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), sdk.BriefSize)
	require.NotContains(t, brief.Declarations, "Said at length")
	require.NotContains(t, brief.Declarations, "*/")
	require.Equal(t, undocumented(short), undocumented(brief.Declarations))
	require.Contains(t, brief.Declarations, "runId: string;")
}
