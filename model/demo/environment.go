package demo

var environmentRules = []rule{
	{when(article(`environments?`) + `(?:(?:called|named)\s+)?(?P<what>.+)`), createEnvironments},
	{when(`(?:add|create|set\s+up)\s+(?:a|an|the)\s+(?:new\s+)?(?P<what>.+?)\s+environment\b(?P<rest>.*)`), createEnvironments},
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
