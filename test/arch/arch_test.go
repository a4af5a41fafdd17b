package arch_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/test/arch"
)

func TestTheRepositoryKeepsItsArchitecture(t *testing.T) {
	t.Parallel()
	tree, err := arch.Load(os.DirFS("../.."))
	require.NoError(t, err)
	require.Greater(t, len(tree.Packages), 5, "the whole repository is loaded")
	for _, rule := range arch.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			for _, v := range rule.Check(tree) {
				t.Errorf("%s\n\tbecause %s", v, rule.Why)
			}
		})
	}
}

// Each entry is a tree that breaks one rule in the named places and no other rule anywhere.
func TestEachRuleCatchesItsViolations(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		files map[string]string
		want  map[string][]string
	}{
		"direction": {
			files: map[string]string{
				"internal/problem/p.go": importing("problem", "countersign/tool"),
				"internal/store/s.go":   importing("store", "countersign/internal/problem", "countersign/modules/catalog"),
				"modules/catalog.go":    importing("modules", "countersign/workflows", "countersign/internal/store"),
				"api/a.go":              importing("api", "countersign/cmd/countersign"),
				"novelty/n.go":          importing("novelty"),
			},
			want: map[string][]string{"direction": {
				"api/a.go:4: api must not import cmd/countersign, which stands above it",
				"internal/problem/p.go:4: internal/problem must not import tool, which stands above it",
				"internal/store/s.go:5: internal/store must not import modules/catalog, which stands above it",
				"modules/catalog.go:4: modules must not import workflows, which stands above it",
				"novelty/n.go:1: the folder novelty has no place in the rooms of test/arch",
			}},
		},
		"modules, auth and transports": {
			files: map[string]string{
				"modules/catalog/c.go": importing(
					"catalog",
					"countersign/modules/incident",
					"countersign/modules/catalog/catalogdb",
					"countersign/auth",
				),
				"modules/catalog/sub/s.go":   importing("sub", "countersign/modules/incident/incidentdb"),
				"modules/catalog/c_test.go":  importing("catalog_test", "countersign/modules/incident", "countersign/auth"),
				"auth/a.go":                  importing("auth", "countersign/modules/catalog"),
				"api/a.go":                   importing("api", "countersign/api/mcp", "countersign/auth"),
				"api/mcp/m.go":               importing("mcp", "countersign/api", "countersign/modules/catalog"),
				"cmd/countersign/wire.go":    importing("main", "countersign/api", "countersign/api/mcp", "countersign/modules/catalog"),
				"modules/incident/public.go": importing("incident", "countersign/tool"),
			},
			want: map[string][]string{"apart": {
				"api/a.go:4: api must not import api/mcp",
				"api/mcp/m.go:4: api/mcp must not import api",
				"auth/a.go:4: auth must not import modules/catalog",
				"modules/catalog/c.go:4: modules/catalog must not import modules/incident",
				"modules/catalog/c.go:6: modules/catalog must not import auth",
				"modules/catalog/sub/s.go:4: modules/catalog must not import modules/incident",
			}, "direction": {
				"auth/a.go:4: auth must not import modules/catalog, which stands above it",
			}},
		},
		"workflows": {
			files: map[string]string{
				"workflows/turn.go": importing(
					"workflows",
					"go.temporal.io/sdk/workflow",
					"go.temporal.io/sdk/temporal",
					"countersign/chat/assistant",
					"countersign/internal/problem",
					"encoding/json",
					"time",
					"net/url",
					"go.temporal.io/sdk/activity",
					"net/http",
					"os",
					"countersign/chat/stream",
					"countersign/internal/store",
				),
				"workflows/turn_test.go": importing("workflows_test", "go.temporal.io/sdk/testsuite", "os"),
				"chat/assistant/a.go":    importing("assistant", "strings"),
				"chat/stream/s.go":       importing("stream", "countersign/internal/store"),
				"internal/store/s.go":    importing("store", "github.com/jackc/pgx/v5"),
			},
			want: map[string][]string{"workflows": {
				"workflows/turn.go:11: workflows must not import go.temporal.io/sdk/activity: it is not known to be without I/O",
				"workflows/turn.go:12: workflows must not import net/http: it reaches outside of the process",
				"workflows/turn.go:13: workflows must not import os: it reaches outside of the process",
				"workflows/turn.go:14: workflows must not import countersign/chat/stream: it imports countersign/internal/store",
				"workflows/turn.go:15: workflows must not import countersign/internal/store: it imports github.com/jackc/pgx/v5",
			}},
		},
		"layout": {
			files: map[string]string{
				"internal/egress/guard.go":      "package egress\n\nfunc NewGuard(ctx context.Context, a, b string, c int) int { return c }\n",
				"internal/egress/dial.go":       "package egress\n\nfunc NewDialer(ctx context.Context, a, b, c string, d int) int { return d }\n",
				"internal/egress/header.go":     importing("egress"),
				"internal/secret/secret.go":     importing("secret"),
				"internal/secret/key.go":        importing("secret"),
				"internal/secret/seal.go":       importing("secret"),
				"modules/vault/vault.go":        "package vault\n\ntype (\n\tModule struct{}\n\tservice struct{}\n)\n",
				"modules/vault/conform_test.go": "package vault\n\nimport \"countersign/api/apitest\"\n\nfunc f() { apitest.Conform() }\n",
				"modules/share/share.go":        "package share\n\ntype Module struct{}\n\ntype Service struct{}\n",
				"modules/share/conform_test.go": "package share\n\nimport \"countersign/api/apitest\"\n\nfunc f() { apitest.Conform() }\n",
			},
			want: map[string][]string{
				"main-file":    {"internal/egress/dial.go:1: the main file of the package is to be internal/egress/egress.go"},
				"constructors": {"internal/egress/dial.go:3: NewDialer has 4 parameters; more than 3 are Options"},
				"modules":      {"modules/share/share.go:1: Service is exported; Module wraps an unexported service"},
			},
		},
		"packages of rules": {
			files: map[string]string{
				"chat/assistant/a.go": importing("assistant", "strings", "time", "countersign/internal/problem", "database/sql", "log/slog",
					"go.temporal.io/sdk/workflow", "github.com/labstack/echo/v4", "crypto/sha256", "crypto/rand"),
				"chat/assistant/words.go": "package assistant\n\nimport \"countersign/model\"\n\nfunc f(m model.Message) model.Role {\n\tmodel.Dial()\n\treturn model.Role(m.Text)\n}\n",
				"tool/disposition/d.go":   "package disposition\n\nimport (\n\t\"context\"\n\t\"countersign/tool\"\n\t\"net/http\"\n)\n\nvar e, r = tool.Effect(http.MethodGet), tool.Look()\n",
				"tool/tool.go":            "package tool\n\ntype Effect string\n\nfunc Look() int { return 0 }\n",
				"model/client.go":         "package model\n\nimport \"net/http\"\n\ntype (\n\tRole string\n\tMessage struct{ Text string }\n)\n\nfunc Dial() { http.Get(\"\") }\n",
			},
			want: map[string][]string{"pure": {
				"chat/assistant/a.go:7: chat/assistant must not import database/sql: it reaches outside of the process",
				"chat/assistant/a.go:8: chat/assistant must not import log/slog: it reaches outside of the process",
				"chat/assistant/a.go:9: chat/assistant must not import go.temporal.io/sdk/workflow: it is not known to be without I/O",
				"chat/assistant/a.go:10: chat/assistant must not import github.com/labstack/echo/v4: it is not known to be without I/O",
				"chat/assistant/a.go:12: chat/assistant must not import crypto/rand: it reaches outside of the process",
				"chat/assistant/words.go:6: chat/assistant may use the types of model and must not call Dial",
				"tool/disposition/d.go:6: tool/disposition must not import net/http: it reaches outside of the process",
				"tool/disposition/d.go:9: tool/disposition may use the types of tool and must not call Look",
			}},
		},
		"libraries with one owner": {
			files: map[string]string{
				"internal/store/s.go":       importing("store", "github.com/jackc/pgx/v5/pgxpool"),
				"chat/stream/streamdb/q.go": importing("streamdb", "github.com/jackc/pgx/v5"),
				"chat/stream/log.go": importing(
					"stream",
					"github.com/jackc/pgx/v5",
					"github.com/sashabaranov/go-openai",
					"github.com/tetratelabs/wazero/api",
				),
				"chat/stream/log_test.go":      importing("stream_test", "github.com/jackc/pgx/v5"),
				"sandbox/engine/e.go":          importing("engine", "github.com/tetratelabs/wazero"),
				"model/client.go":              importing("model", "github.com/sashabaranov/go-openai"),
				"model/pgxlike.go":             importing("model", "github.com/jackc/pgxmock"),
				"modules/catalog/catalogdb.go": importing("catalog", "github.com/jackc/pgx/v5"),
			},
			want: map[string][]string{
				"pgx": {
					"chat/stream/log.go:4: chat/stream must not import github.com/jackc/pgx/v5",
					"modules/catalog/catalogdb.go:4: modules/catalog must not import github.com/jackc/pgx/v5",
				},
				"go-openai": {"chat/stream/log.go:5: chat/stream must not import github.com/sashabaranov/go-openai"},
				"wazero":    {"chat/stream/log.go:6: chat/stream must not import github.com/tetratelabs/wazero/api"},
			},
		},
		"support for tests": {
			files: map[string]string{
				"internal/store/storetest/s.go": importing("storetest", "testing", "github.com/stretchr/testify/require"),
				"api/a.go": importing(
					"api",
					"countersign/internal/store/storetest",
					"testing",
					"github.com/stretchr/testify/require",
				),
				"api/a_test.go": importing(
					"api_test",
					"countersign/internal/store/storetest",
					"testing",
					"github.com/stretchr/testify/assert",
				),
				"api/b_test.go":          importing("api_test", "github.com/stretchr/testify/suite", "github.com/stretchr/testify/require"),
				"modules/catalog/run.go": importing("catalog", "testing/fstest"),
			},
			want: map[string][]string{
				"test-support": {
					"api/a.go:4: api must not import countersign/internal/store/storetest",
					"api/a.go:5: api must not import testing",
					"api/a.go:6: api must not import github.com/stretchr/testify/require",
				},
				"require": {
					"api/a_test.go:6: use testify's require instead of github.com/stretchr/testify/assert",
					"api/b_test.go:4: use testify's require instead of github.com/stretchr/testify/suite",
				},
			},
		},
		"names": {
			files: map[string]string{
				"api/util/u.go":               importing("util"),
				"api/helpers/h.go":            importing("text"),
				"internal/store/t.go":         importing("types"),
				"internal/store/utility/u.go": importing("utility"),
			},
			want: map[string][]string{"names": {
				"api/helpers/h.go:1: the name of package text says nothing",
				"api/util/u.go:1: the name of package util says nothing",
				"internal/store/t.go:1: the name of package types says nothing",
			}},
		},
		"init": {
			files: map[string]string{"api/a.go": "package api\n\nfunc init() {}\n\ntype t struct{}\n\nfunc (t) init() {}\n"},
			want:  map[string][]string{"no-init": {"api/a.go:3: init functions run behind the reader's back"}},
		},
		"length": {
			files: map[string]string{
				"api/long.go":      "package api\n" + strings.Repeat("\n", 600),
				"api/fits.go":      "package api\n" + strings.Repeat("\n", 599),
				"api/generated.go": "// Code generated by sqlc. DO NOT EDIT.\n\npackage api\n" + strings.Repeat("\n", 900),
				"api/long_test.go": "package api_test\n" + strings.Repeat("\n", 700),
			},
			want: map[string][]string{"file-length": {
				"api/long.go:601: 601 lines are more than 600",
				"api/long_test.go:701: 701 lines are more than 600",
			}},
		},
		"modules that conform": {
			files: map[string]string{
				"modules/catalog/catalog.go":      "package catalog\n\ntype Module struct{}\n",
				"modules/catalog/conform_test.go": "package catalog_test\n\nimport \"countersign/api/apitest\"\n\nvar _ = apitest.Conform(1)\n",
				"modules/probe/probe.go":          "package probe\n\ntype Module struct{}\n",
				"modules/probe/probe_test.go":     importing("probe_test", "countersign/api/apitest"),
				"modules/docs/index/module.go":    "package index\n\ntype Module struct{}\n",
				"modules/words/words.go":          "package words\n",
			},
			want: map[string][]string{"conforms": {"modules/probe/probe.go:1: no test of the module probe calls apitest.Conform"}},
		},
		"texts of tools": {
			files: map[string]string{
				"modules/catalog/tools.go":            "package catalog\n\nimport \"embed\"\n\n//go:embed tool_*.md\nvar texts embed.FS\n",
				"modules/catalog/tool_create.go":      makingTools("catalog", "kit.Define(texts)", "kit.NewWrite(d)"),
				"modules/catalog/catalog.go":          importing("catalog"),
				"modules/catalog/tool_create.md":      "Creates a system.",
				"modules/catalog/tool_silent.go":      makingTools("catalog", "kit.Define(texts)", "kit.NewRead[int](d)"),
				"modules/catalog/tool_literal.go":     makingTools("catalog", "1", "kit.NewWriteFunc(d)"),
				"modules/catalog/tool_literal.md":     "Literal.",
				"modules/catalog/tool_two.go":         makingTools("catalog", "kit.Define(texts)", "kit.NewRead(d)", "kit.NewWrite(d)"),
				"modules/catalog/tool_two.md":         "Two.",
				"modules/catalog/tool_idle.md":        "No file makes this tool.",
				"modules/catalog/tool_idle.go":        "package catalog\n",
				"modules/catalog/all_test.go":         makingTools("catalog_test", "1", "kit.NewRead(d)"),
				"modules/catalog/README.md":           "Not a tool.",
				"modules/probe/tool_probe.go":         "package probe\n\nimport \"countersign/tool/kit\"\n\n//go:embed tool_probe.md\nvar text string\n\nvar t = kit.NewRead(kit.Define(1))\n",
				"modules/probe/tool_probe.md":         "Probes.",
				"modules/question/a.go":               "package question\n\n//go:embed tool_*.md\nvar a int\n",
				"modules/question/b.go":               "package question\n\n//go:embed tool_*.md\nvar b int\n",
				"modules/automation/automation.go":    "package automation\n\n//go:embed tool_*.md\nvar texts int\n",
				"modules/automation/tool_test.md":     "The tool of this text is made by another package.",
				"script/tool_test_script.go":          makingTools("script", "kit.Define(texts)", "kit.NewRead(d)"),
				"tool/kit/request.go":                 "package kit\n\nfunc NewWrite() { NewWriteFunc() }\n\nfunc NewWriteFunc() {}\n",
				"tool/invoke/invoke.go":               "package invoke\n",
				"tool/invoke/invoke_internal_test.go": makingTools("invoke", "1", "kit.NewRead(d)"),
			},
			want: map[string][]string{"tool-text": {
				"modules/catalog/tool_idle.md:1: no tool_idle.go beside this text makes a tool",
				"modules/catalog/tool_literal.go:7: a tool must find its text by kit.Define",
				"modules/catalog/tool_silent.go:7: the text of the tool is to lie beside this file, in tool_silent.md",
				"modules/catalog/tool_two.go:8: one file makes one tool",
				"modules/probe/tool_probe.go:1: the texts of tools are embedded as tool_*.md and not one by one",
				"modules/question/b.go:1: the texts of tools are embedded in a.go already",
			}},
		},
		"callers of tools": {
			files: map[string]string{
				"modules/probe/tool_probe.go": importing("probe", "countersign/tool", "countersign/tool/kit"),
				"modules/probe/own.go":        "package probe\n\nimport \"countersign/tool\"\n\nvar t = tool.New(1)\n",
				"tool/kit/kit.go":             "package kit\n\nimport \"countersign/tool\"\n\nvar t = tool.New(1)\n",
				"tool/invoke/invoke.go":       importing("invoke", "countersign/tool", "countersign/tool/kit"),
				"tool/invoke/invoke_test.go":  importing("invoke_test", "countersign/tool/kit"),
				"chat/assistant/assistant.go": importing("assistant", "countersign/tool"),
				"activities/activities.go":    importing("activities", "countersign/tool/kit"),
				"activities/made_test.go":     "package activities_test\n\nimport \"countersign/tool\"\n\nvar t = tool.NewMade(1)\n",
			},
			want: map[string][]string{"contract": {
				"activities/activities.go:4: activities calls tools by package tool and must not import the kit",
				"modules/probe/own.go:5: tools are made by the constructors of tool/kit",
				"tool/invoke/invoke.go:5: tool/invoke calls tools by package tool and must not import the kit",
			}},
		},
		"a clean tree": {
			files: map[string]string{
				"cmd/countersign/main.go": importing("main", "os", "countersign/api", "countersign/worker", "countersign/app"),
				"api/a.go": importing(
					"api",
					"github.com/labstack/echo/v4",
					"countersign/workflows",
					"countersign/auth",
					"countersign/internal/problem",
				),
				"worker/w.go":                   importing("worker", "countersign/workflows", "countersign/activities"),
				"activities/a.go":               importing("activities", "countersign/modules/catalog", "countersign/tool"),
				"docs/guide.md":                 "Nothing to do with Go.",
				"dev/stack/go.mod":              "module countersign/devstack",
				"dev/stack/util/u.go":           importing("util", "countersign/cmd"),
				"api/testdata/broken.go":        "this is not Go",
				"web/node_modules/x/helpers.go": importing("helpers"),
			},
		},
	}
	covered := map[string]bool{}
	for name, c := range cases {
		root := fstest.MapFS{}
		for file, source := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(source)}
		}
		for rule := range c.want {
			covered[rule] = true
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, err := arch.Load(root)
			require.NoError(t, err)
			for _, rule := range arch.Rules() {
				var got []string
				for _, v := range rule.Check(tree) {
					got = append(got, strings.TrimSuffix(v.String(), " ("+rule.Name+")"))
				}
				require.Equal(t, c.want[rule.Name], got, rule.Name)
			}
		})
	}
	for _, rule := range arch.Rules() {
		require.True(t, covered[rule.Name], "the rule %s is shown to catch something", rule.Name)
		require.NotEmpty(t, rule.Why, rule.Name)
	}
}

func TestSourceThatIsNotGoIsAnError(t *testing.T) {
	t.Parallel()
	_, err := arch.Load(fstest.MapFS{"api/a.go": {Data: []byte("pakage api")}})
	require.ErrorContains(t, err, "api/a.go")
}

// makingTools writes a file with a definition on line 5 and from line 7 on calls that make tools of it, one a line.
func makingTools(pkg, definition string, calls ...string) string {
	source := "package " + pkg + "\n\nimport \"countersign/tool/kit\"\n\nvar d = " + definition + "\n\n"
	for i, call := range calls {
		source += fmt.Sprintf("var t%d = %s\n", i, call)
	}
	return source
}

// importing writes a file of a package with imports from line 4 on, one a line.
func importing(pkg string, paths ...string) string {
	var b strings.Builder
	b.WriteString("package " + pkg + "\n\nimport (\n")
	for _, p := range paths {
		b.WriteString("\t_ \"" + p + "\"\n")
	}
	b.WriteString(")\n")
	return b.String()
}
