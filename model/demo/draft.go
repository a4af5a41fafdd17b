package demo

import (
	"fmt"
	"strings"
)

var draftRules = []rule{
	{when(`(?:draft|write|create|add|make|build|test|try|propose)\s+(?:me\s+|us\s+)?(?:an?\s+)?(?:new\s+)?(?:typescript\s+)?(?:script(?:ed)?\s+(?:health\s*)?check|(?:health\s*)?check\s+script|script\s+for\s+an?\s+(?:health\s*)?check)\b.*`), draftCheck},
}

const (
	scriptContext = "healthcheck-script"
	scriptQuery   = "script health check"
	defaultModule = "@countersign/sdk/healthcheck"
	defaultHelper = "defineHealthCheck"
)

// draftCheck reads how scripts are written and what they can use, drafts one, tests it, corrects it once when the draft
// itself has failed, and shows how it went.
func draftCheck(t *turn, m match) bool {
	url := strings.TrimRight(address.FindString(m.all()), ".,;:!?)*`")
	if url == "" {
		t.say("Which address should the script check? Say for example “Draft a script health check for https://example.com/status”.")
		return true
	}
	page, ready := t.guide(scriptQuery)
	if !ready {
		return true
	}
	context, ok := t.read(getHealthScriptContext, object{"context": scriptContext})
	if !ok {
		return true
	}
	source := firstDraft(context.entry(""))
	out, ok := t.testOf(url, source)
	if !ok {
		return true
	}
	said := ""
	if wrong, corrected := correction(context.entry(""), out); corrected != "" {
		source = corrected
		if out, ok = t.testOf(url, source); !ok {
			return true
		}
		said = "My first draft did not work: " + strings.TrimRight(clean(wrong), ".") + ". I corrected it. "
	}
	said += tested(url, out) + " This is the draft:\n\n```ts\n" + strings.TrimSpace(source) + "\n```\n\n"
	if page != "" {
		said += "The documentation has more in “" + clean(page) + "”. "
	}
	t.say(said + "Nothing has been saved.")
	return true
}

// guide reads the page of the documentation that fits a query best. A draft does not depend on it: title is empty when
// there is no such page.
func (t *turn) guide(query string) (title string, ready bool) {
	found, done := t.tryRead(searchDocs, object{"query": query})
	if !done {
		return "", false
	}
	hits := found.list("hits")
	if found.failure != nil || len(hits) == 0 {
		return "", true
	}
	page, done := t.tryRead(getDoc, object{"slug": hits[0].text("slug")})
	if page.failure != nil || page.value == nil {
		return "", done
	}
	return hits[0].text("title"), done
}

// testOf is the outcome of the test of a source. ok is false while it is missing, and when there was no test, which is
// then explained.
func (t *turn) testOf(url, source string) (out entry, ok bool) {
	test, ok := t.resultOf(testHealthScript, object{"context": scriptContext, "source": source, "config": object{"url": url}}, &t.reads)
	if !ok {
		return nil, false
	}
	// The error of the script is a member of the output, too.
	out = test.entry("")
	if _, ran := out["networkAllowed"]; !ran && test.failure != nil {
		t.say(test.failure.explain())
		return nil, false
	}
	return out, true
}

// firstDraft is a script that looks at the address of its configuration.
func firstDraft(context entry) string {
	return typed(context, `const started = Date.now();
const answer = await fetch(String(context.config.url));
return { success: answer.ok, message: "HTTP " + answer.status, value: Date.now() - started };
`)
}

// correction is what was wrong with the first draft and the draft that follows from it; both are empty when the draft is
// right, also where the script policy refuses its request. What the compiler does not like of module and helper is not used again, and
// an error becomes the outcome of the check.
func correction(context, out entry) (wrong, source string) {
	const patient = `const started = Date.now();
try {
  const answer = await fetch(String(context.config.url), { signal: AbortSignal.timeout(5000) });
  return { success: answer.ok, message: "HTTP " + answer.status, value: Date.now() - started };
} catch (error) {
  return { success: false, message: error instanceof Error ? error.message : String(error) };
}
`
	if diagnostics, _ := out["diagnostics"].([]any); len(diagnostics) > 0 {
		first, _ := diagnostics[0].(object)
		return entry(first).text("message"), patient
	}
	failure, failed := out["error"].(object)
	if message := entry(failure).text("message"); failed && out["networkAllowed"] == true && !mentions(message, "cannot be requested") {
		return message, typed(context, patient)
	}
	return "", ""
}

// typed is a script whose default export is the body, typed by the helper of its context.
func typed(context entry, body string) string {
	module, helper := context.text("sdkModule"), context.text("helper")
	if module == "" || helper == "" {
		module, helper = defaultModule, defaultHelper
	}
	body = "  " + strings.ReplaceAll(strings.TrimSuffix(body, "\n"), "\n", "\n  ")
	return fmt.Sprintf("import { %[1]s } from %[2]q;\n\nexport default %[1]s(async (context) => {\n%[3]s\n});\n", helper, module, body)
}

// tested says how a test went.
func tested(url string, out entry) string {
	at := "`" + strings.ReplaceAll(url, "`", "") + "`"
	if out["sandboxDowngraded"] == true {
		return "I tested a script for " + at + ", but the script policy cannot be used, so it had no network. An administrator has to set the policy under Admin, Script policy."
	}
	result, _ := out["result"].(object)
	message := ""
	if text := clean(entry(result).text("message")); text != "" {
		message = ": " + strings.TrimRight(text, ".")
	}
	switch failure, failed := out["error"].(object); {
	case failed && out["networkAllowed"] != true:
		return "I tested a script for " + at + ". It could not reach the address, because the script policy gives scripts no network. An administrator can allow it under Admin, Script policy."
	case failed:
		return "I tested a script for " + at + " and it failed: " + strings.TrimRight(clean(entry(failure).text("message")), ".") + "."
	case result["success"] == true:
		return "I tested a script for " + at + " and it **succeeds**" + message + "."
	default:
		return "I tested a script for " + at + " and it reports that the check **fails**" + message + "."
	}
}
