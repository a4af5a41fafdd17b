package demo

import "slices"

var environmentRules = []rule{
	{when(article(`environments?`) + `(?:(?:called|named)\s+)?(?P<what>.+)`), createEnvironments},
	{when(`(?:add|create|set\s+up)\s+(?:a|an|the)\s+(?:new\s+)?(?P<what>.+?)\s+environment\b(?P<rest>.*)`), createEnvironments},
	{when(`(?:add|put|move|assign|place)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+(?:to|in|into)\s+(?:the\s+)?(?:environment\s+(?P<environment>.+)|(?P<named>.+?)\s+environment)`), placeSystem},
	{when(`(?:delete|remove|drop)\s+(?:the\s+)?(?:environments?\s+(?:called\s+|named\s+)?(?P<name>.+)|(?P<named>.+?)\s+environment)`), removeEnvironment},
}

func createEnvironments(t *turn, m match) bool {
	w := wantedIn(m, pluralNoun.MatchString(m.request.text))
	for _, name := range w.names {
		input := object{"name": name}
		if w.description != "" {
			input["description"] = w.description
		}
		if r, ok := t.write(createEnvironment, input, "I'll create the environment "+bold(name)+".", "description"); ok {
			t.conclude(r, "The environment "+bold(name)+" exists now.")
		}
	}
	return true
}

// placeSystem adds an environment to those of a system, as the tool sets all of
// them.
func placeSystem(t *turn, m match) bool {
	system, found := t.lookUp(listSystems, "system", m.text("name"))
	environment, known := t.lookUp(listEnvironments, "environment", m.text("environment", "named"))
	if !found || !known {
		return true
	}
	r, ok := t.read(listEnvironments, nil)
	if !ok {
		return true
	}
	if r.truncated() {
		t.say("There are too many environments for me to see all that " + bold(system.text("name")) +
			" is in. Please set them on its page in the catalog.")
		return true
	}
	var ids []any
	for _, e := range r.list("environments") {
		if e.text("id") == environment.text("id") || slices.Contains(e.strings("systemIds"), system.text("id")) {
			ids = append(ids, e.text("id"))
		}
	}
	names := []string{bold(system.text("name")), bold(environment.text("name"))}
	r, ok = t.write(setSystemEnvironments, object{"systemId": system.text("id"), "environmentIds": ids},
		"I'll put "+names[0]+" into the environment "+names[1]+".")
	if ok {
		t.conclude(r, names[0]+" is in the environment "+names[1]+" now.")
	}
	return true
}

func removeEnvironment(t *turn, m match) bool {
	e, ok := t.lookUp(listEnvironments, "environment", m.text("name", "named"))
	if !ok {
		return true
	}
	r, ok := t.write(deleteEnvironment, object{"id": e.text("id")},
		"I'll delete the environment "+bold(e.text("name"))+". Its systems stay in the catalog.")
	if ok {
		t.conclude(r, "The environment "+bold(e.text("name"))+" is deleted.")
	}
	return true
}
