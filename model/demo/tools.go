package demo

import (
	"strings"
	"unicode"
)

// Wire names of the tools that are used outside of scenes.
const (
	searchDocs  = "ai_searchDocs"
	listDocs    = "ai_listDocs"
	getDoc      = "ai_getDoc"
	askOperator = "ai_askOperator"
)

// opening is the text before the first read, so that the person sees progress.
func (b *book) opening(tool string) string {
	if said := b.Openings[tool]; said != "" {
		return said
	}
	return b.Openings["any"]
}

// briefly are tools whose names tell the action without an object.
var briefly = map[string]string{
	"agent_get":           "read agents",
	"agent_list":          "list agents",
	"healthcheck_list":    "list health checks",
	"healthcheck_propose": "propose health checks",
	"healthcheck_status":  "read how systems fare",
}

// subject describes a tool in words: "list systems".
func subject(tool string) string {
	if words, known := briefly[tool]; known {
		return words
	}
	_, verb, found := strings.Cut(tool, "_")
	if !found {
		verb = tool
	}
	var b strings.Builder
	for _, r := range verb {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// withoutTools describes tools missing in the request.
func withoutTools(tools []string) string {
	doing := make([]string, len(tools))
	for i, tool := range tools {
		doing[i] = "**" + subject(tool) + "**"
	}
	return "I can't do that for you: no tool to " + join(doing, "or") + " is available to your account here. " +
		"An administrator can give you a role that allows it."
}

const connectModel = "For free conversation, an administrator can connect a real model on the [Connections](/admin/connections) page, " +
	"or set `OPENAI_API_KEY` and `OPENAI_BASE_URL` before the first start."

// cannotHelp is the answer to a request without a scene.
func (t *turn) cannotHelp() string {
	return "I didn't understand that. I'm Countersign's **demo model**: no AI, but a script with a few scenes, which " +
		"work on your real data. " +
		"Click one to try it:\n\n" + t.closestExamples() + "\n\nWrite “help” to see all of them. " + connectModel
}

// examples lists the scenes that the available tools allow by purpose, as clickable prompts.
func (t *turn) examples() string {
	var groups []string
	for _, purpose := range t.book.Purposes {
		lines := []string{"**" + purpose + "**\n"}
		for _, s := range t.performable(purpose) {
			lines = append(lines, "- "+link(s.Example))
		}
		if len(lines) > 1 {
			groups = append(groups, strings.Join(lines, "\n"))
		}
	}
	return paragraphs(groups)
}

// closestExamples lists one example of each purpose, the one that has most in common with the message.
func (t *turn) closestExamples() string {
	var lines []string
	words := subjects(t.asks)
	for _, purpose := range t.book.Purposes {
		best, most := "", -1
		for _, s := range t.performable(purpose) {
			if n := mentioned(s.Example, words); n > most {
				best, most = s.Example, n
			}
		}
		if best != "" {
			lines = append(lines, "- **"+purpose+":** "+link(best))
		}
	}
	return strings.Join(lines, "\n")
}

// performable returns the scenes of a purpose that the available tools allow.
func (t *turn) performable(purpose string) (possible []*scene) {
	for _, s := range t.book.Scenes {
		if s.Purpose == purpose && t.canPerform(s) {
			possible = append(possible, s)
		}
	}
	return possible
}

func (t *turn) canPerform(s *scene) bool {
	for _, step := range s.Steps {
		if step.Call.name != "" && !step.MayFail && !t.offered[step.Call.name] || step.Quote && !t.offered[getDoc] {
			return false
		}
	}
	return true
}
