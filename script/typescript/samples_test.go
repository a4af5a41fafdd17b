package typescript_test

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"countersign/script/typescript"
)

// The samples are files of sources with what has to be said of each:
//
//	=== name of the sample
//	the source
//	--- schema {"type": "object"}     (before the verdict, when it matters)
//	--- verdict
//	ok | code line "construct" | warning code line "construct"
//	refs A B | dynamic line... | actions a b | modules a b
//
// All that is said has to be there and nothing else may be, except for the actions, the modules and refs, which are compared
// where they stand. The construct is the text at the place of the diagnostic.
//
//go:embed testdata/tools/*.txt
var toolSamples embed.FS

type sample struct {
	file, name, source, schema string
	wanted                     []string
	refs, actions, modules     []string
	dynamic                    []string
	compared                   map[string]bool
}

func readSamples(t testing.TB) []sample {
	files, err := toolSamples.ReadDir("testdata/tools")
	require.NoError(t, err)
	var samples []sample
	for _, f := range files {
		text, err := toolSamples.ReadFile(path.Join("testdata/tools", f.Name()))
		require.NoError(t, err)
		for i, part := range strings.Split("\n"+string(text), "\n=== ") {
			if i == 0 {
				continue
			}
			name, rest, _ := strings.Cut(part, "\n")
			source, verdict, found := strings.Cut(rest, "\n--- ")
			require.True(t, found, "%s: %s has no verdict", f.Name(), name)
			s := sample{file: f.Name(), name: name, source: unescape(source) + "\n", compared: map[string]bool{}}
			if schema, more, ok := strings.Cut(verdict, "\n--- verdict"); ok {
				s.schema, verdict = strings.TrimPrefix(schema, "schema "), "verdict"+more
			}
			for _, line := range strings.Split(verdict, "\n")[1:] {
				s.expect(t, line)
			}
			samples = append(samples, s)
		}
	}
	return samples
}

// unescape has characters in samples that editors and git would change.
func unescape(source string) string {
	return strings.NewReplacer("<CR>", "\r", "<TAB>", "\t", "<BOM>", "\ufeff", "<LS>", "\u2028").Replace(source)
}

func (s *sample) expect(t testing.TB, line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "ok":
	case "refs":
		s.refs = strings.Fields(rest)
	case "dynamic":
		s.dynamic = strings.Fields(rest)
	case "actions":
		s.actions = strings.Fields(rest)
	case "modules":
		s.modules = strings.Fields(rest)
	default:
		s.wanted = append(s.wanted, line)
		require.Regexp(t, `^(warning )?[a-z0-9_]+ \d+ ".*"$`, line, "%s: %s", s.file, s.name)
	}
	s.compared[word] = true
}

// at is the text at the place of a diagnostic, its first line.
func at(source string, d typescript.ToolDiagnostic) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\u2028", "\n").Replace(source), "\n")
	if d.Line > len(lines) {
		return ""
	}
	line := utf16.Encode([]rune(lines[d.Line-1]))
	end := len(line)
	if d.EndLine == d.Line {
		end = min(end, d.EndColumn-1)
	}
	return string(utf16.Decode(line[min(d.Column-1, end):end]))
}

func said(source string, found []typescript.ToolDiagnostic) []string {
	var list []string
	for _, d := range found {
		prefix := ""
		if d.Severity == typescript.Warning {
			prefix = "warning "
		}
		list = append(list, fmt.Sprintf("%s%s %d %q", prefix, d.Code, d.Line, at(source, d)))
	}
	return list
}

func TestEverySampleOfAToolHasItsVerdict(t *testing.T) {
	t.Parallel()
	c := compiler(t, typescript.Options{Processes: 2, Timeout: patient().Timeout})
	samples := readSamples(t)
	right := 0
	for _, s := range samples {
		compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{ID: "sample", Source: s.source, ArgsSchema: []byte(s.schema)})
		require.NoError(t, err)
		var wrong []string
		differ := func(what string, wanted, got any) {
			if fmt.Sprint(wanted) != fmt.Sprint(got) {
				wrong = append(wrong, fmt.Sprintf("%s:\n  wanted %v\n  got    %v", what, wanted, got))
			}
		}
		wanted, got := slices.Sorted(slices.Values(s.wanted)), slices.Sorted(slices.Values(said(s.source, compiled.Diagnostics)))
		if !slices.Equal(wanted, got) {
			wrong = append(wrong, "diagnostics:\n  wanted "+strings.Join(wanted, "\n         ")+"\n  got    "+strings.Join(got, "\n         "))
			for _, d := range compiled.Diagnostics {
				wrong = append(wrong, "  | "+d.Message+" | "+d.Hint)
			}
		}
		differ("JavaScript", !slices.ContainsFunc(s.wanted, func(w string) bool { return !strings.HasPrefix(w, "warning ") }), compiled.JS != "")
		if s.compared["refs"] || s.compared["dynamic"] || len(compiled.Capabilities.SecretRefs) > 0 {
			differ("refs", s.refs, compiled.Capabilities.SecretRefs)
		}
		var lines []string
		for _, r := range compiled.Capabilities.Reasons {
			lines = append(lines, fmt.Sprint(r.Line))
			if s.compared["dynamic"] || !compiled.Errors() {
				continue
			}
		}
		if s.compared["dynamic"] || !compiled.Errors() {
			differ("dynamic", s.dynamic, slices.Compact(lines))
		}
		if s.compared["actions"] {
			differ("actions", s.actions, compiled.Capabilities.Actions)
		}
		if s.compared["modules"] || !compiled.Errors() {
			differ("modules", s.modules, compiled.Capabilities.Modules)
		}
		if len(wrong) > 0 {
			t.Errorf("%s: %s\n%s\n%s", s.file, s.name, s.source, strings.Join(wrong, "\n"))
			continue
		}
		right++
	}
	t.Logf("%d of %d samples are right", right, len(samples))
	require.GreaterOrEqual(t, len(samples), 600)
}
