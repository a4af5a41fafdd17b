package typescript_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/script/typescript"
)

// Names of browsers and Node.js either work, or their diagnostic has a hint.
func TestWhatIsKnownFromElsewhereIsThereOrHinted(t *testing.T) {
	t.Parallel()
	c := compiler(t, typescript.Options{Processes: 2, Timeout: patient().Timeout})
	locale, crypto := "no locale data", `from "node:crypto"`
	for statement, hint := range map[string]string{
		`return (255).toLocaleString("en-US");`:                                         locale,
		`return new Date(0).toLocaleString("en-US", { timeZone: "UTC" });`:              locale,
		`return new Date(0).toLocaleDateString("en-US");`:                               locale,
		`return new Date(0).toLocaleTimeString("de");`:                                  locale,
		`return 12n.toLocaleString("de");`:                                              locale,
		`return [1, 2].toLocaleString("de");`:                                           locale,
		`return ["b", "a"].sort((x, y) => x.localeCompare(y, "en"));`:                   locale,
		`return "a".localeCompare("b", undefined, { numeric: true });`:                  locale,
		`return self.crypto.randomUUID();`:                                              "globalThis",
		`return global.crypto.randomUUID();`:                                            "globalThis",
		`return window.crypto.randomUUID();`:                                            "globalThis",
		`return "a"["localeCompare"]("b", "en");`:                                       locale,
		`return new Intl.NumberFormat("en-US").format(1);`:                              locale,
		`return Intl.DateTimeFormat().resolvedOptions().timeZone;`:                      locale,
		`const f: Intl.Collator | null = null; return f;`:                               locale,
		`return new globalThis.Intl.NumberFormat("en-US").format(1);`:                   locale,
		`return (globalThis as any)["Intl"].NumberFormat;`:                              locale,
		`const { Intl } = globalThis as any; return Intl;`:                              locale,
		`return (await crypto.subtle.digest("SHA-256", new Uint8Array(1))).byteLength;`: crypto,
		`return globalThis.crypto.subtle;`:                                              crypto,
		`return crypto.createHash("sha256");`:                                           crypto,
		`return crypto.randomBytes(4);`:                                                 crypto,
		`return (await import("node:crypto")).webcrypto;`:                               crypto,
		`return performance.mark("a");`:                                                 "now()",
		`console.table([]); return 1;`:                                                  "ctx.log",
		`return Temporal.Now.instant();`:                                                "Use Date",
		`return new Blob([]);`:                                                          "Uint8Array",
		`return new globalThis.ReadableStream();`:                                       "Uint8Array",
		`return document.title;`:                                                        "no page",
		`return localStorage.getItem("a");`:                                             "Nothing is kept",
		`setImmediate(() => {}); return 1;`:                                             "queueMicrotask",
		`return new Headers();`:                                                         "http.request",
		`return Buffer.from("a").toString("hex");`:                                      "Uint8Array",
		`return globalThis.Buffer;`:                                                     "Uint8Array",
		`return await fetch("https://a.example");`:                                      "http.request",
		`return globalThis.fetch;`:                                                      "http.request",
		`return process.env.TOKEN;`:                                                     "secrets.ref",
		`return (globalThis as any).process.env.TOKEN;`:                                 "secrets.ref",
		`return process.cwd();`:                                                         "arguments",
		`return require("node:crypto").randomUUID();`:                                   "import",
	} {
		compiled, err := c.CompileTool(t.Context(),
			typescript.ToolSource{Source: tool(statement), ArgsSchema: json.RawMessage(`{"type":"object"}`)})
		require.NoError(t, err)
		warned := slices.ContainsFunc(compiled.Diagnostics, func(d typescript.ToolDiagnostic) bool { return d.Code == "locale_ignored" })
		require.NotEqual(t, warned, compiled.Errors(), statement)
		var hints []string
		for _, d := range compiled.Diagnostics {
			require.NotZero(t, d.Line, statement)
			hints = append(hints, d.Message+" | "+d.Hint)
		}
		said := strings.Join(hints, "\n")
		_, after, _ := strings.Cut(said, " | ")
		require.Contains(t, after, hint, "%s\n%s", statement, said)
	}
	for source, hint := range map[string]string{
		`import { webcrypto } from "node:crypto";`:           crypto,
		`import { createCipheriv } from "crypto";`:           "no ciphers",
		`import { scryptSync } from "node:crypto";`:          "no ciphers",
		`import { inspectWithColors } from "node:util";`:     "part of this module",
		`import { Buffer } from "node:buffer";`:              "Uint8Array",
		`import { readFile } from "node:fs/promises";`:       "arguments",
		`import { setTimeout } from "node:timers/promises";`: "globals",
	} {
		compiled, err := c.CompileTool(t.Context(),
			typescript.ToolSource{Source: source + "\nexport default { actions: { default: () => 1 } };\n"})
		require.NoError(t, err)
		require.True(t, compiled.Errors(), source)
		require.Contains(t, compiled.Diagnostics[0].Hint, hint, "%s %+v", source, compiled.Diagnostics)
	}
}

// Empty and binary sources are refused by a diagnostic with a code.
func TestWhatIsNoSourceIsADiagnostic(t *testing.T) {
	t.Parallel()
	c := compiler(t, typescript.Options{Processes: 1, Timeout: patient().Timeout})
	for source, code := range map[string]string{
		"":                          "ast_no_default_export",
		" \n\t":                     "ast_no_default_export",
		"// nothing":                "ast_no_default_export",
		"\x00\x01\x02":              "source_not_text",
		"\x01":                      "source_not_text",
		"const a = 1;\n\x7fELF\x02": "source_not_text",
		"\xff\xfe":                  "source_not_text",
		"\x89PNG\r\n\x1a\n":         "source_not_text",
	} {
		compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{Source: source, ArgsSchema: json.RawMessage(`{"type":"object"}`)})
		require.NoError(t, err)
		require.Empty(t, compiled.JS)
		require.NotEmpty(t, compiled.Diagnostics, "%q", source)
		require.Equal(t, code, compiled.Diagnostics[0].Code, "%q", source)
		require.NotEmpty(t, compiled.Diagnostics[0].Hint, "%q", source)
	}
	compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{Source: "const a = 1;\n  \x02"})
	require.NoError(t, err)
	require.Equal(t, []int{2, 3, 2, 4}, []int{
		compiled.Diagnostics[0].Line, compiled.Diagnostics[0].Column, compiled.Diagnostics[0].EndLine, compiled.Diagnostics[0].EndColumn,
	})
}
