//go:build linux

package image_test

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const repository = "../.."

// stage is one stage of the Dockerfile: what its instructions say, in order.
type stage struct {
	name         string
	instructions [][2]string
}

// dockerfile reads the stages.
func dockerfile(t *testing.T) []stage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repository, "Dockerfile"))
	require.NoError(t, err)
	text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(string(raw), "")
	var stages []stage
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "":
		case "FROM":
			_, name, _ := strings.Cut(rest, " AS ")
			stages = append(stages, stage{name: name})
		default:
			last := &stages[len(stages)-1]
			last.instructions = append(last.instructions, [2]string{word, strings.TrimSpace(rest)})
		}
	}
	require.GreaterOrEqual(t, len(stages), 2)
	return stages
}

// of are what the instructions of one kind say.
func (s stage) of(kind string) []string {
	var all []string
	for _, i := range s.instructions {
		if i[0] == kind {
			all = append(all, i[1])
		}
	}
	return all
}

// env are the variables that the stage sets.
func (s stage) env() map[string]string {
	vars := map[string]string{}
	for _, line := range s.of("ENV") {
		for pair := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(pair, "=")
			vars[name] = value
		}
	}
	return vars
}

// service is what docker-compose.yml says of one, as far as it is used here.
type service struct {
	Command     words             `yaml:"command"`
	Environment map[string]string `yaml:"environment"`
	Volumes     []string          `yaml:"volumes"`
	Tmpfs       []string          `yaml:"tmpfs"`
	ReadOnly    bool              `yaml:"read_only"`
	CapDrop     []string          `yaml:"cap_drop"`
	Networks    []string          `yaml:"networks"`
}

// words are a command: a list, or one line.
type words []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = strings.Fields(node.Value)
		return nil
	}
	return node.Decode((*[]string)(w))
}

// compose reads the services, with variables of the environment replaced.
func compose(t *testing.T, vars map[string]string) map[string]service {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repository, "docker-compose.yml"))
	require.NoError(t, err)
	text := regexp.MustCompile(
		`\$\{(\w+)(?::([-?])([^}]*))?\}`,
	).ReplaceAllStringFunc(
		strings.ReplaceAll(string(raw), "$$", "$"),
		func(use string) string {
			found := regexp.MustCompile(`\$\{(\w+)(?::([-?])([^}]*))?\}`).FindStringSubmatch(use)
			value, set := vars[found[1]]
			require.True(t, set || found[2] != "?", "%s has to be set", found[1])
			if !set && found[2] == "-" {
				return found[3]
			}
			return value
		},
	)
	var file struct {
		Services map[string]service `yaml:"services"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	return file.Services
}

// ignored reports what .dockerignore leaves out of the context of the build.
func ignored(t *testing.T) func(name string) bool {
	t.Helper()
	file, err := os.Open(filepath.Join(repository, ".dockerignore"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	type pattern struct {
		glob string
		back bool
	}
	var patterns []pattern
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if glob, back := strings.CutPrefix(strings.TrimSpace(lines.Text()), "!"); glob != "" {
			patterns = append(patterns, pattern{glob, back})
		}
	}
	require.NotEmpty(t, patterns)
	fits := func(glob, name string) bool {
		if tail, ok := strings.CutPrefix(glob, "**/"); ok {
			return path.Base(name) == tail
		}
		matched, err := path.Match(glob, name)
		require.NoError(t, err)
		return matched
	}
	return func(name string) bool {
		out := false
		for _, p := range patterns {
			if fits(p.glob, name) {
				out = !p.back
			}
		}
		return out
	}
}

// copyContext copies what the build sees of the repository.
func copyContext(t *testing.T, to string) {
	t.Helper()
	leave := ignored(t)
	require.NoError(t, filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(repository, file)
		if err != nil || name == "." {
			return err
		}
		if leave(filepath.ToSlash(name)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return copyFile(file, target)
	}))
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, info.Mode().Perm())
}
