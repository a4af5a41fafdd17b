package assistant

import (
	"embed"
	"fmt"
	"strings"
)

// The sections of the system prompt, in their order. Each is a Markdown file in prompts.
var (
	basePrompt          = section("base")
	changesPrompt       = section("changes")
	scopePrompt         = section("scope")
	dataPrompt          = section("data")
	contextPrompt       = section("context")
	investigationPrompt = section("investigation")
	docsPrompt          = section("docs")
	memoryPrompt        = section("memory")
	toolsPrompt         = section("tools")
	searchPrompt        = section("search")
	askPrompt           = section("ask")
	calibrationPrompt   = section("calibration")
	finalPrompt         = section("final")
)

//go:embed prompts/*.md
var prompts embed.FS

// section is a text of prompts, without the newline at the end of its file.
func section(name string) string {
	text, err := prompts.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err) // the file is a part of the program
	}
	return strings.TrimSuffix(string(text), "\n")
}

// DecisionNote is the model's note about a decided proposal. It is made on the server from the stored proposal, and
// never stored.
func DecisionNote(o Outcome) string {
	var what string
	switch {
	case o.Status == "applied" && o.Result != nil:
		what = "The person agreed, and the call was made. Go on with what it has found."
	case o.Status == "applied":
		what = "The person applied the proposal and the change is live."
	case o.Status == "failed":
		what = "The person applied the proposal, but it failed and nothing was changed."
	case o.Status == "declined":
		what = "The person declined the proposal. Nothing was changed."
	default:
		what = "The proposal has expired without a decision. Nothing was changed."
	}
	next := "Acknowledge this in one or two sentences and stop; do not propose it again."
	if o.Result != nil {
		next = "Do not make the same call again."
	}
	return fmt.Sprintf("[decision] %s Proposal (%s):\n%s\n%s", what, o.Tool, proposalText(o), next)
}

// proposalText is the text of a proposal, parts of which other users may have written, such as names.
func proposalText(o Outcome) string {
	text := o.Summary
	if o.Status == "failed" && o.Failure != "" {
		text += "\nIt failed: " + o.Failure
	}
	if o.Reason != "" {
		text += "\nThe reason that " + o.Decider + " gave: " + o.Reason
	}
	fenced := Fence("data", text)
	if o.Result != nil {
		fenced += "\n" + FenceJSON("untrusted", o.Result)
	}
	return fenced
}
