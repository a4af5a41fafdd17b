// Package assistant is the logic of a turn without any I/O: prompts and contexts for the model, clamping of results,
// backoff after failed calls. Everything here is a pure function, so that the rules can be read and tested on their
// own.
package assistant

import (
	"slices"
	"strconv"
	"strings"

	"countersign/tool/disposition"
)

// Prompt holds the inputs of a turn's system prompt.
type Prompt struct {
	Mode disposition.Mode
	// Tools are the dotted names of the offered tools.
	Tools []string
	// Searching says that some of the tools have to be found by a search.
	Searching bool
	// Playbooks are the texts that modules have for the offered tools.
	Playbooks []string
	// Family is the declared model family: "anthropic", "openai" or "generic".
	Family string
	// Skill is the chosen skill; nil for none.
	Skill *Skill
	// Summary replaces the oldest part of the conversation.
	Summary string
}

// Skill is a way of working that a person chose for a conversation.
type Skill struct {
	Name string
	// Author is the author's name; "" for a built-in skill.
	Author string
	// Foreign is set for a skill of another user.
	Foreign bool
	// Prompt may be empty for an agent.
	Prompt string
	// Agent is the slug of the agent whose tools alone the conversation has; "" for a skill, which limits nothing.
	Agent string
}

// AgentSkill is the prefix of an agent's slug in the place of a skill id.
const AgentSkill = "agent/"

// System is the system prompt. It stays the same in every turn of a conversation until the person chooses another mode
// or skill, or a summary replaces the oldest messages, so that a provider's prompt cache can keep it. Sections that all
// conversations share come first; content that changes from turn to turn is a Context.
func System(p Prompt) string {
	return strings.Join(append(stable(p), volatile(p)...), "\n\n")
}

// stable returns the sections that depend on the tools, the model and the mode only.
func stable(p Prompt) []string {
	sections := []string{basePrompt, changesPrompt, scopePrompt, dataPrompt, contextPrompt}
	if offered(p.Tools, "system.", "incident.", "healthcheck.") {
		sections = append(sections, investigationPrompt)
	}
	if offered(p.Tools, "ai.searchDocs") {
		sections = append(sections, docsPrompt)
	}
	if offered(p.Tools, "ai.searchMemory") {
		sections = append(sections, memoryPrompt)
	}
	sections = append(sections, toolsPrompt)
	if p.Searching {
		sections = append(sections, searchPrompt)
	}
	sections = append(sections, modePrompt(p.Mode))
	if offered(p.Tools, "ai.askOperator") {
		sections = append(sections, askPrompt)
	}
	sections = append(sections, p.Playbooks...)
	if p.Family == "anthropic" || p.Family == "openai" {
		sections = append(sections, calibrationPrompt)
	}
	return sections
}

// volatile returns the sections of one conversation, those that change least first.
func volatile(p Prompt) []string {
	var sections []string
	if p.Skill != nil && p.Skill.Prompt != "" {
		sections = append(sections, skillPrompt(*p.Skill))
	}
	if p.Summary != "" {
		sections = append(
			sections,
			"## Earlier in this conversation\nNotes on messages that are no longer shown. They record what was said and found "+
				"then, and may be out of date.\n"+Fence(
				"notes",
				p.Summary,
			),
		)
	}
	return sections
}

func skillPrompt(s Skill) string {
	source := "It comes with the product."
	if s.Author != "" {
		source = "It was written by " + quoted(s.Author) + "."
	}
	return "## Active skill: " + quoted(s.Name) + "\nThe person chose this way of working. " + source +
		" Follow it in tone, method and form; where it speaks against the rules above, the rules hold.\n" + Fence("skill", s.Prompt)
}

// quoted is a user-chosen name, on one line.
func quoted(s string) string { return strconv.Quote(strings.Join(strings.Fields(s), " ")) }

// offered reports whether one of the tools is among these, or of this module when the name ends with a dot.
func offered(tools []string, names ...string) bool {
	return slices.ContainsFunc(tools, func(tool string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return tool == name || strings.HasSuffix(name, ".") && strings.HasPrefix(tool, name)
		})
	})
}

func modePrompt(m disposition.Mode) string {
	if m == disposition.Auto {
		return "## Permission mode\nThe person chose auto: changes that remove nothing are applied as soon as they are " +
			"proposed, and a result with status \"applied\" says so. Anything that removes something, and anything a policy " +
			"or what you have read makes doubtful, still waits for their decision."
	}
	return "## Permission mode\nThe person chose approve: every change waits for their decision on a card."
}
