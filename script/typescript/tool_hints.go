package typescript

import (
	"regexp"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/shim"
	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/script/sdk"
)

const (
	localeHint = "There is no locale data in the sandbox: every locale is the same. Write the format yourself, such as n.toFixed(2) or " +
		"date.toISOString(); compare texts with a < b ? -1 : a > b ? 1 : 0."
	bytesHint  = "A tool has its data as a whole: use text, arrays, Uint8Array and async generators."
	screenHint = "There is no page and no browser: a tool computes from its arguments."
	storeHint  = "Nothing is kept between calls: pass what the tool needs as an argument."
)

// missing are globals of browsers and Node.js that tools lack, with the advice for each.
func missing() map[string]string {
	hints := map[string]string{
		"Intl": localeHint, "Temporal": "Use Date, whose methods with UTC in their names know UTC.",
		"Atomics": "Nothing runs beside a tool: plain values do.", "SharedArrayBuffer": "Nothing runs beside a tool: use ArrayBuffer.",
		"setImmediate": "Use setTimeout(f, 0) or queueMicrotask(f).", "clearImmediate": "Use clearTimeout.",
		"MessageChannel":   "Nothing runs beside a tool: call the function.",
		"BroadcastChannel": "Nothing runs beside a tool: call the function.",
		"FormData":         "Answer the fields: the caller makes the request with the tool http.request.",
		"Headers":          requests, "Request": requests, "Response": requests,
		"CompressionStream": unavailable()["zlib"], "DecompressionStream": unavailable()["zlib"],
		"CustomEvent": "Use Event, or the EventEmitter of node:events.", "SubtleCrypto": cryptoHint, "CryptoKey": cryptoHint,
	}
	for hint, names := range map[string][]string{
		bytesHint: {
			"Blob", "File", "FileReader", "ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream", "TextEncoderStream",
		},
		screenHint: {
			"document", "location", "history", "alert", "confirm", "prompt", "requestAnimationFrame", "Image", "DOMParser", "HTMLElement",
		},
		"The global object is globalThis.": {"self", "global", "window"},
		storeHint:                          {"localStorage", "sessionStorage", "indexedDB", "caches"},
	} {
		for _, name := range names {
			hints[name] = hint
		}
	}
	return hints
}

const cryptoHint = `Import createHash, createHmac, pbkdf2Sync or hkdfSync: import { createHash } from "node:crypto". ` +
	"They answer at once, and digest(\"hex\") is a text. There are no ciphers, keys and signatures."

// notInCrypto matches members that node:crypto has in Node.js only.
var notInCrypto = regexp.MustCompile(`^(webcrypto|subtle|sign|verify|scrypt\w*|` +
	`create(Cipher|Decipher|Sign|Verify|DiffieHellman|ECDH|PublicKey|PrivateKey|SecretKey)\w*|` +
	`generateKey\w*|public\w+|private\w+|pbkdf2|hkdf|X509Certificate|KeyObject)$`)

var (
	missingName   = regexp.MustCompile(`^Cannot find (?:name|namespace) '(\w+)'`)
	missingGlobal = regexp.MustCompile(`Property '(\w+)' does not exist on type 'typeof globalThis'`)
	missingMember = regexp.MustCompile(`Property '(\w+)' does not exist on type '(Crypto|Console|Performance)'`)
	missingExport = regexp.MustCompile(`^(?:Module )?'"(?:node:)?([\w/]+)"' has no exported member(?: named)? '(\w+)'`)
	missingOfAll  = regexp.MustCompile(`Property '(\w+)' does not exist on type '(?:Omit<)?typeof import\("(?:node:)?([\w/]+)"\)`)
)

// wrongCount is the code of a call with too many arguments.
const wrongCount = 2554

// hintOf returns the advice for a name or an argument that the type checker refuses, "" for none.
func hintOf(d shim.Diagnostic, read analysis.Result) string {
	isThere := func(s shim.Span) bool { return s.Line == d.Line && s.Column == d.Column }
	if d.Code == wrongCount && slices.ContainsFunc(read.Localized, isThere) {
		return localeHint
	}
	for _, pattern := range []*regexp.Regexp{missingName, missingGlobal} {
		if m := pattern.FindStringSubmatch(d.Message); m != nil {
			return missing()[m[1]]
		}
	}
	if m := missingMember.FindStringSubmatch(d.Message); m != nil {
		switch {
		case m[2] == "Console":
			return "console has debug, log, info, warn, error, trace, dir and assert; ctx.log writes to the log of the call."
		case m[2] == "Performance":
			return "performance has now() and timeOrigin."
		case m[1] == "subtle" || notInCrypto.MatchString(m[1]):
			return cryptoHint
		}
		return "The global crypto has randomUUID and getRandomValues. Hashes are of a module: " +
			`import { createHash, createHmac } from "node:crypto".`
	}
	if m := missingExport.FindStringSubmatch(d.Message); m != nil {
		return hintOfModule(m[1], m[2])
	}
	if m := missingOfAll.FindStringSubmatch(d.Message); m != nil {
		return hintOfModule(m[2], m[1])
	}
	return ""
}

// hintOfModule returns the advice for a member that a module has in Node.js only.
func hintOfModule(module, member string) string {
	root, _, _ := strings.Cut(module, "/")
	if !slices.Contains(sdk.ToolImports(), root) {
		return ""
	}
	if root == "crypto" && notInCrypto.MatchString(member) {
		return cryptoHint
	}
	return "Tools have a part of this module. The documentation lists it, and the editor shows the rest as it is typed."
}
