package typescript

import (
	"regexp"
	"slices"
)

// absent are what TypeScript's library declares and the engine of the sandbox does not have.
func absent() []string {
	names := []string{"Intl", "Atomics"}
	for _, legacy := range []string{
		"$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$_", "$&", "$+", "$`", "$'",
		"input", "lastMatch", "lastParen", "leftContext", "rightContext",
	} {
		names = append(names, "RegExpConstructor."+legacy)
	}
	return names
}

// foreign are what other places have where JavaScript runs, and the compiler gives no advice about.
func foreign() []string {
	return []string{
		"Intl", "Atomics", "Temporal", "WebAssembly", "Worker", "Blob", "File", "FileReader", "FormData", "ReadableStream", "WritableStream",
		"TransformStream", "WebSocket", "EventSource", "XMLHttpRequest", "MessageChannel", "BroadcastChannel", "Deno", "Bun",
		"window", "self", "navigator", "location", "history", "localStorage", "sessionStorage", "indexedDB", "caches", "alert", "confirm",
		"prompt", "requestAnimationFrame", "setImmediate", "clearImmediate", "__dirname", "__filename",
	}
}

var noName = regexp.MustCompile(`^Cannot find (?:name|namespace) '([^']+)'`)

// isForeign reports whether a message is about a name of foreign, and how far it says so.
func isForeign(message string) (about string, ok bool) {
	m := noName.FindStringSubmatch(message)
	if m == nil || !slices.Contains(foreign(), m[1]) {
		return "", false
	}
	return m[0] + ".", true
}
