package demo

import (
	"strings"
	"unicode"
)

// Wire names of the tools that the rules use.
const (
	listSystems           = "catalog_listSystems"
	getSystem             = "catalog_getSystem"
	listGroups            = "catalog_listGroups"
	listTeams             = "catalog_listTeams"
	listEnvironments      = "catalog_listEnvironments"
	createSystem          = "catalog_createSystem"
	updateSystem          = "catalog_updateSystem"
	deleteSystem          = "catalog_deleteSystem"
	setSystemOwner        = "catalog_setSystemOwner"
	setSystemEnvironments = "catalog_setSystemEnvironments"
	createGroup           = "catalog_createGroup"
	updateGroup           = "catalog_updateGroup"
	deleteGroup           = "catalog_deleteGroup"
	addSystemToGroup      = "catalog_addSystemToGroup"
	removeSystemFromGroup = "catalog_removeSystemFromGroup"
	createEnvironment     = "catalog_createEnvironment"
	deleteEnvironment     = "catalog_deleteEnvironment"
	searchDocs            = "ai_searchDocs"
	listDocs              = "ai_listDocs"
	getDoc                = "ai_getDoc"
	probeURL              = "ai_probeUrl"
	askOperator           = "ai_askOperator"

	getHealthScriptContext = "healthcheck_getScriptContext"
	testHealthScript       = "healthcheck_testScript"
)

// lookup is said before the first read, so that the person sees something
// happen.
func lookup(tool string) string {
	switch tool {
	case listTeams:
		return "Let me see which teams there are."
	case searchDocs, listDocs:
		return "Let me look that up in the documentation."
	case probeURL:
		return "Let me see what that address answers."
	case getHealthScriptContext:
		return "Let me see what such a script can use."
	default:
		return "Let me look at the catalog."
	}
}

// subject says in words what a tool is about: "list systems".
func subject(tool string) string {
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

// withoutTools says what is missing when the request does not offer a tool.
func withoutTools(tools []string) string {
	doing := make([]string, len(tools))
	for i, tool := range tools {
		doing[i] = "**" + subject(tool) + "**"
	}
	return "I can't do that for you: no tool to " + join(doing, "or") + " is available to your account here. " +
		"An administrator can give you a role that allows it."
}
