package demo

import (
	"fmt"
	"strings"
)

var draftRules = []rule{
	{when(`(?:draft|write|create|add|make|build|test|try|propose)\s+(?:me\s+|us\s+)?(?:an?\s+)?(?:new\s+)?(?:typescript\s+)?script(?:ed)?\s+(?:health\s*)?check\b.*`), draftCheck},
}

const (
	scriptContext = "healthcheck-script"
	defaultModule = "@countersign/sdk/healthcheck"
	defaultHelper = "defineHealthCheck"
)

// draftCheck learns what a script can use, drafts one, and shows how its test went.
func draftCheck(t *turn, m match) bool {
	url := strings.TrimRight(address.FindString(m.all()), ".,;:!?)*`")
	if url == "" {
		t.say("Which address should the script check? Say for example “Draft a script health check for https://example.com/status”.")
		return true
	}
	context, ok := t.read(getHealthScriptContext, object{"context": scriptContext})
	if !ok {
		return true
	}
	source := checkSource(context.entry(""))
	test, ok := t.resultOf(testHealthScript, object{"context": scriptContext, "source": source, "config": object{"url": url}}, &t.reads)
	if !ok {
		return true
	}
	// The error of the script is a member of the output, too.
	out := test.entry("")
	if _, ran := out["networkAllowed"]; !ran && test.failure != nil {
		t.say(test.failure.explain())
		return true
	}
	t.say(tested(url, out) + " This is the draft:\n\n```ts\n" + strings.TrimSpace(source) + "\n```\n\nNothing has been saved.")
	return true
}

// checkSource is a script that looks at the address of its configuration.
func checkSource(context entry) string {
	module, helper := context.text("sdkModule"), context.text("helper")
	if module == "" || helper == "" {
		module, helper = defaultModule, defaultHelper
	}
	return fmt.Sprintf(`import { %[1]s } from %[2]q;

export default %[1]s(async (context) => {
  const started = Date.now();
  const answer = await fetch(String(context.config.url));
  return { success: answer.ok, message: "HTTP " + answer.status, value: Date.now() - started };
});
`, helper, module)
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
