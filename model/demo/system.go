package demo

import (
	"regexp"
	"slices"
	"strings"
)

var systemRules = []rule{
	{when(`rename\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+(?:to|into|as)\s+(?P<new>.+?)` + andMore), renameSystem},
	{when(`(?:change|set|update)\s+(?:the\s+)?name\s+of\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+to\s+(?P<new>.+?)` + andMore), renameSystem},

	{when(`(?:set|change|update|edit)\s+(?:the\s+)?description\s+(?:of|for|on)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+(?:to|as)[\s:]\s*(?P<text>.+)`), describeSystem},
	{when(`(?:set|change|update|edit)\s+(?:the\s+)?(?P<name>.+?)(?:'s|s')?\s+description\s+(?:to|as)[\s:]\s*(?P<text>.+)`), describeSystem},
	{when(`(?:describe)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+as\s+(?P<text>.+)`), describeSystem},

	{when(`(?:set|change|update)\s+(?:the\s+)?owner(?:\s+team)?\s+of\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+to\s+(?P<owner>.+)`), transferSystem},
	{when(`(?:make|set)\s+(?P<owner>.+?)\s+(?:as\s+)?(?:the\s+)?(?:new\s+)?owner\s+of\s+(?P<name>.+)`), transferSystem},
	{when(`(?:transfer|hand|give|assign)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+(?:over\s+)?to\s+(?P<owner>(?:the\s+)?(?:team\s+.+|.+?\s+team))`), transferSystem},

	{when(`tag\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)\s+(?:with|as)\s+(?P<tags>.+)`), tagSystem},
	{when(`(?:add|set)\s+(?:the\s+)?tags?\s+(?P<tags>.+?)\s+(?:to|on|for)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+)`), tagSystem},

	{when(`(?:add|create|register|make|onboard)\s+(?:(?:a|an|the|another|new)\s+)*(?P<kind>system|service|group|environment)`), askName},
	{when(article(`systems?|services?`) + `(?:(?:called|named)\s+)(?P<what>.+)`), createSystems},
	{when(article(`systems?|services?`) + `(?P<what>.+)`), createSystems},
	{when(`(?:add|create|register|onboard)\s+(?P<what>.+?)\s+(?:as\s+(?:a\s+)?(?:new\s+)?(?:system|service)s?|to\s+(?:the\s+|our\s+)?catalog(?:ue)?)\b(?P<rest>.*)`), createSystems},
	{when(`(?:add|create|register|onboard)\s+(?:a|an|the)\s+(?:new\s+)?(?P<what>.+?)\s+(?:system|service)\b(?P<rest>.*)`), createSystems},

	{when(`(?:delete|remove|retire|decommission|drop)\s+(?:the\s+)?(?:(?:systems?|services?)\s+)?(?:called\s+|named\s+)?(?P<name>.+?)(?:\s+from\s+(?:the\s+)?catalog(?:ue)?)?`), deleteSystems},
}

// andMore ends a request that changes something else of the same system, which
// has to be one proposal: a second one would find the system changed.
const andMore = `(?:,?\s+and\s+(?:(?:add\s+(?:the\s+)?tags?|tag\s+it\s+(?:with|as))\s+(?P<tags>.+)|` +
	`(?:set|change|update)\s+(?:its|the)\s+description\s+(?:to|as)[\s:]\s*(?P<text>.+)))?`

// article matches the beginning of a creation: "add a new" and the noun.
func article(noun string) string {
	return `(?:add|create|register|make|onboard|set\s+up|new)\s+(?:(?:a|an|the|another|one|two|three|some|new|more|following)\s+)*(?:` + noun + `)[\s:]\s*`
}

// options of a creation, in any order behind the names.
var (
	option = regexp.MustCompile(`(?i)[,;]?\s*(?:\b(?:and|which|that|it|who|its|the|with|it's|an?|as|set)\s+|\bis\s+|\bshould be\s+)*` +
		`\b(?:(owned by|owner is|owner|maintained by|belonging to|belongs to|run by)|(described as|description(?: is| to| of)?)|(tagged(?: with| as)?|tag it with|tags?(?: it with)?))\b[\s:]*`)
	forTeam   = regexp.MustCompile(`(?i)\s+for\s+(?:the\s+|our\s+)?([^,]+?)\s+team$`)
	teamOwns  = regexp.MustCompile(`(?i)[,;]?\s+(?:and\s+)?(?:the\s+)?([\w\x{E000}-\x{F8FF} -]+?)\s+team\s+(?:owns|will own|should own)\s+it$`)
	nobody    = regexp.MustCompile(`(?i)^(?:none|nobody|no one|no team|no owner|without(?: an?)? (?:owner|team)|skip|leave it (?:empty|out))$`)
	plainName = regexp.MustCompile(`(?i)^(?:called|named)\s+`)
)

// wanted is what a sentence says about things to be created.
type wanted struct {
	names              []string
	owner, description string
	tags               []string
}

// wantedIn reads names and options: "A and B, owned by the platform team, with
// the description C".
func wantedIn(m match, plural bool) wanted {
	text := m.raw("what")
	if rest := m.raw("rest"); rest != "" {
		text += " " + rest
	}
	var w wanted
	if at := option.FindAllStringSubmatchIndex(text, -1); at != nil {
		for i, groups := range at {
			end := len(text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			value := m.restore(text[groups[1]:end])
			switch {
			case groups[2] >= 0 && w.owner == "":
				w.owner = value
			case groups[4] >= 0 && w.description == "":
				w.description = capitalized(value)
			case groups[6] >= 0 && len(w.tags) == 0:
				w.tags = m.list(text[groups[1]:end])
			}
		}
		text = text[:at[0][0]]
	}
	for _, pattern := range []*regexp.Regexp{forTeam, teamOwns} {
		if groups := pattern.FindStringSubmatchIndex(text); groups != nil && w.owner == "" {
			w.owner = m.restore(text[groups[2]:groups[3]])
			text = text[:groups[0]]
		}
	}
	text = plainName.ReplaceAllString(strings.TrimSpace(text), "")
	if plural {
		w.names = m.list(text)
	} else if name := m.restore(text); name != "" {
		w.names = []string{name}
	}
	return w
}

var pluralNoun = regexp.MustCompile(`(?i)^\w+\s+(?:\w+\s+)*?(?:systems|services|groups|environments)\b|^(?:add|create|register|onboard)\s+\S.*\s(?:and|,)\s.*\s(?:to\s+(?:the\s+|our\s+)?catalog|as\s+(?:\w+\s+)?systems)`)

func askName(t *turn, m match) bool {
	kind := strings.ToLower(m.text("kind"))
	t.askName(kind, "What should the "+kind+" be called? Tell me, for example, “Add a "+kind+" called Checkout”.")
	return true
}

func (t *turn) askName(kind, otherwise string) {
	t.ask("What should the "+kind+" be called?", []string{nevermind}, otherwise)
}

// purpose is what follows "a system" when it is not a name.
var purpose = regexp.MustCompile(`(?i)^(?:for|that|which|to|in|with|owned|like)\s`)

func createSystems(t *turn, m match) bool {
	if purpose.MatchString(m.raw("what")) {
		t.askName("system", "What should the system be called?")
		return true
	}
	t.createSystems(wantedIn(m, pluralNoun.MatchString(m.request.text)))
	return true
}

func (t *turn) createSystems(w wanted) {
	team, owned := entry(nil), ""
	if w.owner == "" && t.named && t.offered[askOperator] {
		if r, done := t.tryRead(listTeams, nil); !done {
			return
		} else if teams := r.list("teams"); r.failure == nil && len(teams) > 0 {
			t.whichTeam("", w.names, teams, "")
			return
		}
	}
	if w.owner != "" {
		var ok bool
		if team, ok = t.team(w.owner, w.names); !ok {
			return
		}
		owned = ", owned by " + bold(team.text("name"))
	}
	for _, name := range w.names {
		input := object{"name": name}
		if w.description != "" {
			input["description"] = w.description
		}
		if len(w.tags) > 0 {
			input["tags"] = withTags(nil, w.tags)
		}
		if team != nil {
			input["ownerTeamId"] = team.text("id")
		}
		if r, ok := t.write(createSystem, input, "I'll add the system "+bold(name)+owned+".", "description", "tags"); ok {
			t.conclude(r, "The system "+bold(name)+" is in the catalog now"+owned+".")
		}
	}
}

// team resolves an owner, or asks which team is meant. The question ends in the
// words that ownerAnswer recognizes.
func (t *turn) team(name string, systems []string) (entry, bool) {
	r, ok := t.read(listTeams, nil)
	if !ok {
		return nil, false
	}
	teams := r.list("teams")
	if e, ok := find(teams, name); ok {
		return e, true
	}
	text := "There is no team called " + bold(bare(name)) + "." + existing("team", teams, r.truncated())
	if len(systems) > 0 {
		names := make([]string, len(systems))
		for i, system := range systems {
			names[i] = bold(system)
		}
		text += " Which team should own " + join(names, "and") + "? You can also say “no team”."
		t.whichTeam("There is no team called “"+bare(name)+"”. ", systems, teams, text)
		return nil, false
	}
	t.say(text)
	return nil, false
}

// whichTeam asks for the owner of new systems.
func (t *turn) whichTeam(intro string, systems []string, teams []entry, otherwise string) {
	names := make([]string, len(systems))
	for i, system := range systems {
		names[i] = "“" + system + "”"
	}
	var labels []string
	for _, team := range teams {
		if len(labels) < maxOptions-1 {
			labels = append(labels, team.text("name"))
		}
	}
	t.ask(intro+"Which team should own "+join(names, "and")+"?", append(labels, "No team"), otherwise)
}

func renameSystem(t *turn, m match) bool {
	e, ok := t.lookUp(listSystems, "system", m.text("name"))
	if !ok {
		return true
	}
	name := m.text("new")
	change := object{"name": name}
	intent := "I'll rename the system " + bold(e.text("name")) + " to " + bold(name)
	if tags := m.names("tags"); len(tags) > 0 {
		change["tags"] = withTags(e, tags)
		intent += " and tag it with " + clean(join(tags, "and"))
	}
	if text := m.text("text"); text != "" {
		change["description"] = text
		intent += " and change its description to “" + clean(text) + "”"
	}
	t.update(e, change, intent+".", bold(e.text("name"))+" is called "+bold(name)+" now.")
	return true
}

func describeSystem(t *turn, m match) bool {
	e, ok := t.lookUp(listSystems, "system", m.text("name"))
	if !ok {
		return true
	}
	t.update(e, object{"description": m.text("text")},
		"I'll change the description of "+bold(e.text("name"))+" to “"+clean(m.text("text"))+"”.",
		"The description of "+bold(e.text("name"))+" is changed.")
	return true
}

func tagSystem(t *turn, m match) bool {
	e, ok := t.lookUp(listSystems, "system", m.text("name"))
	if !ok {
		return true
	}
	added := m.names("tags")
	t.update(e, object{"tags": withTags(e, added)},
		"I'll tag the system "+bold(e.text("name"))+" with "+clean(join(added, "and"))+".",
		bold(e.text("name"))+" is tagged with "+clean(join(added, "and"))+" now.")
	return true
}

// withTags adds to the tags of a system, as an update replaces all of them.
func withTags(system entry, added []string) []any {
	var tags []any
	for _, tag := range append(system.strings("tags"), added...) {
		if tag = strings.ToLower(tag); !slices.Contains(tags, any(tag)) {
			tags = append(tags, tag)
		}
	}
	return tags
}

func transferSystem(t *turn, m match) bool {
	e, found := t.lookUp(listSystems, "system", m.text("name"))
	team, known := t.team(m.text("owner"), nil)
	if !found || !known {
		return true
	}
	names := []string{bold(e.text("name")), bold(team.text("name"))}
	r, ok := t.write(setSystemOwner, object{"id": e.text("id"), "teamId": team.text("id")},
		"I'll make "+names[1]+" the owner of "+names[0]+".")
	if ok {
		t.conclude(r, names[0]+" is owned by "+names[1]+" now.")
	}
	return true
}

func (t *turn) update(e entry, change object, intent, done string) {
	change["id"] = e.text("id")
	if r, ok := t.write(updateSystem, change, intent); ok {
		t.conclude(r, done)
	}
}

func deleteSystems(t *turn, m match) bool {
	for _, name := range t.separate(listSystems, "systems", m) {
		e, ok := t.lookUp(listSystems, "system", name)
		if !ok {
			continue
		}
		intent := "I'll delete the system " + bold(e.text("name")) + ". This cannot be undone, so please check the card carefully."
		if r, ok := t.write(deleteSystem, object{"id": e.text("id")}, intent); ok {
			t.conclude(r, "The system "+bold(e.text("name"))+" is deleted.")
		}
	}
	return true
}

// separate splits a list of names, unless the whole of it is one name.
func (t *turn) separate(tool, kind string, m match) []string {
	whole := m.text("name")
	names := m.names("name")
	if len(names) < 2 {
		return []string{whole}
	}
	if r, done := t.tryRead(tool, nil); done {
		if _, ok := find(r.list(kind), whole); ok {
			return []string{whole}
		}
	}
	return names
}

// conclude says what became of a change.
func (t *turn) conclude(r result, done string) {
	switch status := r.entry("").text("status"); status {
	case "", "applied":
		t.say(done)
	case "awaiting_operator":
		t.say("The change is waiting for a decision on its card. Nothing happens before that.")
	default:
		t.say("The change has not been made: it is " + clean(status) + ".")
	}
}
