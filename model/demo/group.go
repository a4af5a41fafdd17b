package demo

import (
	"regexp"
	"slices"
)

// groupRules come before systemRules, whose forms are more general.
var groupRules = []rule{
	{when(`(?:add|put|move|assign)\s+(?:the\s+)?(?:(?:systems?|services?)\s+)?(?P<name>.+?)\s+(?:to|in|into)\s+(?:the\s+|our\s+)?(?:group\s+(?:called\s+|named\s+)?(?P<group>.+)|(?P<named>.+?)\s+group)`), addToGroup},
	{when(`(?:add|put|move)\s+(?:the\s+)?(?:(?:systems?|services?)\s+)?(?P<name>.+?)\s+(?:to|in|into)\s+(?P<group>it|(?:this|that)\s+group)`), addToGroup},
	{when(`(?:remove|take|drop|delete)\s+(?:the\s+)?(?:(?:systems?|services?)\s+)?(?P<name>.+?)\s+(?:from|out\s+of)\s+(?:the\s+|our\s+)?(?:group\s+(?:called\s+|named\s+)?(?P<group>.+)|(?P<named>.+?)\s+group)`), removeFromGroup},
	{when(article(`groups?`) + `(?:(?:called|named)\s+)?(?P<what>.+)`), createGroups},
	{when(`(?:add|create)\s+(?:a|an|the)\s+(?:new\s+)?(?P<what>.+?)\s+group\b(?P<rest>.*)`), createGroups},
	{when(`rename\s+(?:the\s+)?(?:group\s+(?P<name>.+?)|(?P<named>.+?)\s+group)\s+(?:to|into|as)\s+(?P<new>.+)`), renameGroup},
	{when(`(?:delete|remove|drop)\s+(?:the\s+)?(?:groups?\s+(?:called\s+|named\s+)?(?P<name>.+)|(?P<named>.+?)\s+group)`), removeGroups},
}

func addToGroup(t *turn, m match) bool {
	if mentions(m.raw("name"), " called ", " named ") {
		return false // "add a system called X to the group Y" creates X first
	}
	if t.creates(createGroup) && pronoun.MatchString(m.text("group")) {
		t.say("Once the group exists, ask me to add " + bold(m.text("name")) + " to it.")
		return true
	}
	t.changeMembership(m, addSystemToGroup,
		func(system, group string) string { return "I'll add " + system + " to the group " + group + "." },
		func(system, group string) string { return system + " is in the group " + group + " now." })
	return true
}

func removeFromGroup(t *turn, m match) bool {
	t.changeMembership(m, removeSystemFromGroup,
		func(system, group string) string { return "I'll take " + system + " out of the group " + group + "." },
		func(system, group string) string { return system + " is not in the group " + group + " any more." })
	return true
}

func (t *turn) changeMembership(m match, tool string, intent, done func(system, group string) string) {
	group, found := t.lookUp(listGroups, "group", m.text("group", "named"))
	for _, name := range t.separate(listSystems, "systems", m) {
		system, known := t.lookUp(listSystems, "system", name)
		if !found || !known {
			continue
		}
		names := []string{bold(system.text("name")), bold(group.text("name"))}
		input := object{"groupId": group.text("id"), "systemId": system.text("id")}
		if r, ok := t.write(tool, input, intent(names[0], names[1])); ok {
			t.conclude(r, done(names[0], names[1]))
		}
	}
}

// members begins the systems that a new group should have. They are added once
// the group exists and has an id.
var members = regexp.MustCompile(`(?i)\s+(?:with|containing|for|of)\s+(?:the\s+)?(?:systems?|services?)\s.*$`)

func createGroups(t *turn, m match) bool {
	m.request.text = members.ReplaceAllString(m.request.text, "")
	m.groups = m.pattern.FindStringSubmatch(m.request.text)
	w := wantedIn(m, pluralNoun.MatchString(m.request.text))
	for _, name := range w.names {
		if r, ok := t.write(createGroup, object{"name": name}, "I'll create the group "+bold(name)+"."); ok {
			t.conclude(r, "The group "+bold(name)+" exists now. Tell me which systems belong to it.")
		}
	}
	return true
}

func renameGroup(t *turn, m match) bool {
	e, ok := t.lookUp(listGroups, "group", m.text("name", "named"))
	if !ok {
		return true
	}
	name := m.text("new")
	r, ok := t.write(updateGroup, object{"id": e.text("id"), "name": name},
		"I'll rename the group "+bold(e.text("name"))+" to "+bold(name)+".")
	if ok {
		t.conclude(r, "The group "+bold(e.text("name"))+" is called "+bold(name)+" now.")
	}
	return true
}

func removeGroups(t *turn, m match) bool {
	e, ok := t.lookUp(listGroups, "group", m.text("name", "named"))
	if !ok {
		return true
	}
	r, ok := t.write(deleteGroup, object{"id": e.text("id")},
		"I'll delete the group "+bold(e.text("name"))+". Its systems stay in the catalog.")
	if ok {
		t.conclude(r, "The group "+bold(e.text("name"))+" is deleted.")
	}
	return true
}

// creates reports that this turn calls the tool.
func (t *turn) creates(tool string) bool {
	return slices.ContainsFunc(t.writes, func(c Call) bool { return c.Tool == tool }) ||
		slices.ContainsFunc(t.steps, func(s step) bool { return s.tool == tool })
}
