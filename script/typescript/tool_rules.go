package typescript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/internal/text/search"
	"countersign/script/sdk"
)

const (
	codeBannedModule      = "banned_module_import"
	codeUnavailableModule = "module_unavailable"
	codeUnknownModule     = "module_not_found"
	codeBannedGlobal      = "banned_global"

	requests = "Answer what is to be requested; the caller makes the request with the tool http.request, which fills in " +
		"secrets for the hosts they are pinned to."
)

// banned are the modules of Node.js that reach the network, other processes or other code.
func banned() []string {
	return []string{
		"http",
		"https",
		"http2",
		"net",
		"tls",
		"dgram",
		"dns",
		"undici",
		"child_process",
		"cluster",
		"worker_threads",
		"vm",
		"v8",
		"inspector",
		"module",
		"repl",
		"wasi",
		"process",
		"trace_events",
		"diagnostics_channel",
		"async_hooks",
	}
}

// unavailable are its other modules, with their replacements.
func unavailable() map[string]string {
	return map[string]string{
		"fs":             "There is no file system: a tool computes from its arguments, and answers what others store.",
		"stream":         "A tool has its data as a whole: use arrays, iterators and async generators of the language.",
		"zlib":           "There is no compression in the sandbox: have the caller pass what is decompressed.",
		"os":             "There is no machine to ask about: pass what the tool needs as an argument.",
		"buffer":         "Use Uint8Array with TextEncoder and TextDecoder, and atob and btoa for base64.",
		"string_decoder": "Use TextDecoder with { stream: true }.",
		"perf_hooks":     "performance is a global: performance.now().",
		"timers":         "setTimeout and setInterval are globals.",
		"console":        "console is a global; ctx.log writes to the log of the call.",
		"readline":       "There is nothing to read from: split a text with text.split(\"\\n\").",
		"tty":            "There is no terminal.",
		"constants":      "There is no operating system.",
		"punycode":       "URL makes ASCII of a domain: new URL(\"https://\" + domain).hostname.",
		"domain":         "Use try and catch.",
		"sqlite":         "There is no database: pass what the tool needs as an argument.",
		"test":           "Examples of a tool are its tests: they run when it is frozen.",
		"sea":            "There is no executable.",
	}
}

// judgeModule returns the objection to a module, nil when tools have it.
func judgeModule(name string) *analysis.Verdict {
	if _, ok := sdk.ToolImport(name); ok || name == sdk.ToolModule().Name {
		return nil
	}
	bare, isNode := strings.CutPrefix(name, "node:")
	root, _, _ := strings.Cut(bare, "/")
	switch {
	case slices.Contains(banned(), root):
		hint := requests
		if slices.Contains(
			[]string{
				"vm",
				"module",
				"repl",
				"v8",
				"inspector",
				"wasi",
				"worker_threads",
				"child_process",
				"cluster",
				"process",
				"async_hooks",
				"trace_events",
				"diagnostics_channel",
			},
			root,
		) {
			hint = "A tool computes an answer from its arguments, with the language and the modules that the documentation lists."
		}
		return &analysis.Verdict{
			Code: codeBannedModule, Hint: hint,
			Message: fmt.Sprintf("The module %q does not exist for tools: they have no network, no processes and no way to load code.", name),
		}
	case root != bare && slices.Contains(sdk.ToolImports(), root):
		return &analysis.Verdict{
			Code:    codeUnavailableModule,
			Message: fmt.Sprintf("The module %q does not exist in the sandbox.", name),
			Hint:    fmt.Sprintf("Import %q.", root),
		}
	case unavailable()[root] != "":
		return &analysis.Verdict{
			Code:    codeUnavailableModule,
			Message: fmt.Sprintf("The module %q does not exist in the sandbox.", name),
			Hint:    unavailable()[root],
		}
	case isNode:
		return &analysis.Verdict{
			Code:    codeUnavailableModule,
			Message: fmt.Sprintf("The module %q does not exist in the sandbox.", name),
			Hint:    available(),
		}
	case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/"):
		return &analysis.Verdict{
			Code:    codeUnknownModule,
			Message: fmt.Sprintf("There is no file %q: a tool is one file.", name),
			Hint:    "Move the code into this file.",
		}
	case strings.Contains(name, ":"):
		return &analysis.Verdict{
			Code:    codeUnknownModule,
			Message: fmt.Sprintf("Nothing is loaded from %q: tools have no network.", name),
			Hint:    available(),
		}
	}
	hint := available()
	if meant := search.Nearest(name, sdk.ToolImports()); meant != "" {
		hint = fmt.Sprintf("Did you mean %q? ", meant) + hint
	}
	return &analysis.Verdict{
		Code:    codeUnknownModule,
		Message: fmt.Sprintf("There is no package %q: packages cannot be installed.", name),
		Hint:    hint,
	}
}

func available() string {
	return "Tools can import " + strings.Join(sdk.ToolImports(), ", ") + "."
}

// judgeGlobal returns the objection to a global, or a member of one such as "process.env", nil for all others.
func judgeGlobal(name string) *analysis.Verdict {
	verdict := func(message, hint string) *analysis.Verdict {
		return &analysis.Verdict{Code: codeBannedGlobal, Message: message, Hint: hint}
	}
	object, member, _ := strings.Cut(name, ".")
	switch object {
	case "globalThis":
		if hint := missing()[member]; hint != "" {
			return verdict(member+" does not exist in the sandbox.", hint)
		}
	case "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "RTCPeerConnection", "navigator":
		return verdict(object+" is not there for tools: they have no network.", requests)
	case "Buffer":
		return verdict("Buffer does not exist in the sandbox.", unavailable()["buffer"])
	case "__dirname", "__filename":
		return verdict(object+" does not exist in the sandbox: there is no file system.", "A tool computes from its arguments.")
	case "WebAssembly", "Worker", "SharedWorker", "importScripts", "ShadowRealm":
		return verdict(object+" does not exist in the sandbox: it would run other code.", "Write the code in this file.")
	case "Deno", "Bun":
		return verdict(object+" does not exist in the sandbox.", "Use what the language has.")
	case "process":
		if slices.Contains([]string{"binding", "dlopen", "mainModule", "getBuiltinModule", "_linkedBinding", "kill", "exit", "abort"}, member) {
			return &analysis.Verdict{
				Code:    codeBannedModule,
				Message: "process." + member + " is not there for tools: they have no processes and no way to load code.",
				Hint:    "Throw an error to end with a failure.",
			}
		}
		return verdict("process does not exist in the sandbox.", processHint(member))
	}
	return nil
}

func processHint(member string) string {
	switch member {
	case "env":
		return "Pass what the tool needs as an argument, and refer to secrets with ctx.secrets.ref(\"NAME\")."
	case "nextTick":
		return "Use queueMicrotask."
	case "hrtime", "uptime":
		return "Use performance.now()."
	case "stdout", "stderr":
		return "Use ctx.log."
	}
	return "A tool computes from its arguments."
}
