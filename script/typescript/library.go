package typescript

import (
	"regexp"
	"slices"
)

// absent are declarations of TypeScript's library that the sandbox engine lacks.
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

// foreign are globals of other JavaScript environments, for which the compiler's advice is useless.
func foreign() []string {
	return []string{
		"Intl", "Atomics", "Temporal", "WebAssembly", "Worker", "Blob", "File", "FileReader", "FormData", "ReadableStream", "WritableStream",
		"TransformStream", "WebSocket", "EventSource", "XMLHttpRequest", "MessageChannel", "BroadcastChannel", "Deno", "Bun",
		"window", "self", "navigator", "location", "history", "localStorage", "sessionStorage", "indexedDB", "caches", "alert", "confirm",
		"prompt", "requestAnimationFrame", "setImmediate", "clearImmediate", "__dirname", "__filename",
	}
}

var noName = regexp.MustCompile(`^Cannot find (?:name|namespace) '([^']+)'`)

// isForeign reports whether a message is about a name of foreign, and returns the relevant part.
func isForeign(message string) (about string, ok bool) {
	m := noName.FindStringSubmatch(message)
	if m == nil || !slices.Contains(foreign(), m[1]) {
		return "", false
	}
	return m[0] + ".", true
}
