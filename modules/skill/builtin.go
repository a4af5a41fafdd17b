package skill

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"countersign/internal/rest"
)

//go:embed builtin/*.md
var texts embed.FS

// builtins are the skills of the product. They are read-only.
var builtins = sync.OnceValue(func() []Skill {
	return []Skill{
		builtin("incident-commander", "Incident commander",
			"Leads you through an incident: impact first, one timeline, clear next steps, updates people can read.",
			[]string{Chat}, "communication", "incident"),
		builtin("health-investigator", "Health investigator",
			"Looks into a failing, slow or flapping check by evidence and separates the check from the system behind it.",
			[]string{Chat}, "diagnosis", "health"),
		builtin("automation-author", "Automation author",
			"Turns a wish into an automation: trigger, guards, actions, identity, and a dry run before it goes live.",
			[]string{Chat}, "automation"),
		builtin("failure-root-cause", "Failure root cause",
			"Reads the facts of a failure and names the most likely cause, with how sure that is.",
			[]string{Analyze}, "diagnosis").with(
			AnswerField{Key: "summary", Type: "string", Description: "What failed, since when and with what effect, in two or three sentences."},
			AnswerField{
				Key:         "likely_cause",
				Type:        "string",
				Description: "The most likely cause with the evidence for it, or that the facts do not tell, with what would.",
			},
		),
		builtin("severity-classifier", "Severity classifier",
			"Grades an event by its effect on people, the same way each time, so that later steps can branch on it.",
			[]string{Analyze}, "incident", "triage").with(
			AnswerField{
				Key:         "severity",
				Type:        "enum",
				Description: "The grade, by the scale of the instructions.",
				Options:     []string{"critical", "high", "medium", "low"},
			},
			AnswerField{
				Key:         "fatal",
				Type:        "boolean",
				Description: "True when the affected system does not serve its purpose at all until a person acts.",
			},
		),
		builtin("customer-status-note", "Customer status note",
			"Writes a short note for customers about a disruption: honest, calm, without internals.",
			[]string{Analyze}, "communication").with(
			AnswerField{Key: "headline", Type: "string", Description: "One line of at most 80 characters that says what customers notice."},
			AnswerField{Key: "message", Type: "string", Description: "The note itself, two to four short sentences, no internal names."},
		),
	}
})

// builtin reads the texts of a skill: <slug>.md is the instruction, <slug>.template.md, if present, the prompt
// template.
func builtin(slug, name, description string, targets []string, tags ...string) Skill {
	read := func(file string) string {
		text, _ := texts.ReadFile("builtin/" + file)
		return strings.TrimSpace(string(text))
	}
	return Skill{
		ListedSkill: ListedSkill{
			ID: slug, Name: name, Description: description, Targets: targets, Tags: tags, Source: Builtin, Revised: rest.Revised{Revision: 1},
		},
		SystemPrompt: read(slug + ".md"), PromptTemplate: read(slug + ".template.md"), SuggestedOutputFields: []AnswerField{},
	}
}

func (s Skill) with(fields ...AnswerField) Skill {
	s.SuggestedOutputFields = fields
	return s
}

func findBuiltin(id string) (Skill, bool) {
	all := builtins()
	if i := slices.IndexFunc(all, func(s Skill) bool { return s.ID == id }); i >= 0 {
		return all[i], true
	}
	return Skill{}, false
}
