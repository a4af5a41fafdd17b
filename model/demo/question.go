package demo

import (
	"fmt"
	"slices"
	"strings"
)

// The nouns of the catalog in questions.
const (
	systemsNoun = `(?:systems?|services?|(?:whole\s+|entire\s+)?catalog(?:ue)?)`
	asking      = `(?:(?:please\s+)?(?:which|what|list|show|display|give|see|get|are|is|do|any|how\s+many|count|name|find|all)\b.*\b)?`
)

var questionRules = []rule{
	{when(`(?:which|what|list|show|how\s+many|all)\b.*\b(?:systems?|services?)\b.*?\b(?:(?:do|does)\s+(?:the\s+)?(?P<owner>.+?)\s+own|(?:is|are)?\s*(?:owned|maintained|run)\s+by\s+(?P<by>.+)|belongs?\s+to\s+(?P<of>.+)|of\s+(?P<team>(?:the\s+)?(?:team\s+.+|.+\s+team)))`), systemsOfTeam},
	{when(`(?:which|what|list|show|how\s+many|all)\b.*\b(?:systems?|services?)\b.*?\b(?:in|of)\s+(?:the\s+)?(?:group\s+(?P<group>.+)|(?P<named>.+?)\s+group)`), systemsInGroup},
	{when(`who\s+(?:owns|maintains|runs|is\s+responsible\s+for|is\s+(?:the\s+)?owner\s+of)\s+(?P<name>.+)`), ownerOf},
	{when(`(?:who|which\s+team|what\s+team)\s+is\s+(?P<name>.+?)\s+owned\s+by`), ownerOf},
	{when(`(?:which|what)\s+team\s+(?:owns|maintains|runs|is\s+responsible\s+for)\s+(?P<name>.+)`), ownerOf},
	{when(asking + systemsNoun + `\b(?:[\s,]+(?:exist|exists|there|are|is|do|does|we|i|you|have|got|know|in|the|catalog|catalogue|of|all|us|right|now|currently|defined|registered|and|their|owners?|who|owns?|them|each|please))*`), allSystems},
	{when(asking + `groups?\b(?:\s+(?:exist|there|are|do|we|i|have|got|in|the|catalog|catalogue|defined|now))*`), allGroups},
	{when(asking + `teams?\b(?:\s+(?:exist|there|are|do|we|i|have|got|in|the|catalog|catalogue|defined|now))*`), allTeams},
	{when(asking + `environments?\b(?:\s+(?:exist|there|are|do|we|i|have|got|in|the|catalog|catalogue|defined|now))*`), allEnvironments},
	{when(`(?:tell\s+(?:me|us)\s+(?:more\s+|something\s+)?about|describe|show(?:\s+me)?|(?:give\s+me\s+)?(?:the\s+)?(?:details|information|info)\s+(?:of|about|for|on)|look\s+up|what\s+do\s+(?:you|we)\s+know\s+about)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+)`), aboutSystem},
	{when(`what(?:'s|\s+is|\s+does)\s+(?:the\s+)?(?:(?:system|service)\s+)?(?P<name>.+?)(?:\s+do)?`), aboutSystem},
}

func allSystems(t *turn, m match) bool {
	r, ok := t.read(listSystems, nil)
	if !ok {
		return true
	}
	systems := r.list("systems")
	many := fmt.Sprintf("There %s in the catalog", counted(len(systems), "system"))
	if r.truncated() {
		many = fmt.Sprintf("There are more than %s in the catalog", number(len(systems), "system"))
	}
	if mentions(m.all(), "how many", "count") {
		t.say(many + ".")
		return true
	}
	t.say(systemTable(systems, many+":",
		"There are no systems in the catalog yet. Tell me the name of the first one and I'll propose to add it."))
	return true
}

func systemsOfTeam(t *turn, m match) bool {
	team, known := t.team(m.text("owner", "by", "of", "team"), nil)
	r, ok := t.read(listSystems, nil)
	if !known || !ok {
		return true
	}
	var owned []entry
	for _, s := range r.list("systems") {
		if slices.Contains(s.strings("owners"), team.text("name")) {
			owned = append(owned, s)
		}
	}
	t.say(systemTable(owned, bold(team.text("name"))+" owns "+number(len(owned), "system")+":",
		bold(team.text("name"))+" owns no system."))
	return true
}

func systemsInGroup(t *turn, m match) bool {
	group, known := t.lookUp(listGroups, "group", m.text("group", "named"))
	if !known {
		return true
	}
	r, ok := t.read(listSystems, object{"groupId": group.text("id")})
	if !ok {
		return true
	}
	inside := r.list("systems")
	t.say(systemTable(inside, "The group "+bold(group.text("name"))+" has "+number(len(inside), "system")+":",
		"The group "+bold(group.text("name"))+" has no systems yet."))
	return true
}

func ownerOf(t *turn, m match) bool {
	system, ok := t.lookUp(listSystems, "system", m.text("name"))
	if !ok {
		return true
	}
	if owner := owners(system); owner == "" {
		t.say(bold(system.text("name")) + " has no owner.")
	} else {
		t.say(bold(system.text("name")) + " is owned by " + bold(owner) + ".")
	}
	return true
}

func allGroups(t *turn, _ match) bool {
	r, ok := t.read(listGroups, nil)
	if !ok {
		return true
	}
	groups := r.list("groups")
	if len(groups) == 0 {
		t.say("There are no groups yet.")
		return true
	}
	rows := [][]string{{"Group", "Systems"}}
	for _, g := range groups {
		rows = append(rows, []string{g.text("name"), fmt.Sprint(len(g.strings("systemIds")))})
	}
	t.say(fmt.Sprintf("There %s:\n\n%s", counted(len(groups), "group"), table(rows)))
	return true
}

func allTeams(t *turn, _ match) bool { return t.nameList(listTeams, "team") }

func allEnvironments(t *turn, _ match) bool { return t.nameList(listEnvironments, "environment") }

func (t *turn) nameList(tool, kind string) bool {
	r, ok := t.read(tool, nil)
	if !ok {
		return true
	}
	all := r.list(kind + "s")
	if len(all) == 0 {
		t.say("There are no " + kind + "s yet.")
		return true
	}
	var text strings.Builder
	fmt.Fprintf(&text, "There %s:\n", counted(len(all), kind))
	for _, e := range all {
		text.WriteString("\n- " + bold(e.text("name")))
		if d := e.text("description"); d != "" {
			text.WriteString(": " + clean(d))
		}
	}
	t.say(text.String())
	return true
}

// aboutSystem declines when there is no such system: the person may be asking
// about a concept, which the documentation explains.
func aboutSystem(t *turn, m match) bool {
	name, ok := t.meant("system", m.text("name"))
	if !ok {
		return true
	}
	r, done := t.tryRead(listSystems, nil)
	if !done {
		return true
	}
	all := r.list("systems")
	system, known := find(all, name)
	if !known {
		if r, done = t.searched(r, name); !done {
			return true
		}
		if system, known = find(r.list("systems"), name); !known {
			if r.truncated() || len(r.list("systems")) > 0 {
				all = r.list("systems")
			}
			if fit := fitting(all, name); len(fit) > 1 && t.offered[askOperator] {
				t.which("system", name, fit)
				return true
			}
			return false
		}
	}
	if r, done := t.tryRead(getSystem, object{"id": system.text("id")}); !done {
		return true
	} else if r.failure == nil && r.value != nil {
		system = r.entry("system")
	}
	t.say(describe(system))
	return true
}

// describe writes what is known about one system.
func describe(system entry) string {
	var text strings.Builder
	text.WriteString(bold(system.text("name")))
	if d := system.text("description"); d != "" {
		text.WriteString(": " + clean(d))
	}
	owner := owners(system)
	if owner == "" {
		owner = "nobody"
	}
	text.WriteString("\n\n- Owner: " + clean(owner))
	for _, list := range []string{"groups", "environments", "tags", "contacts", "links"} {
		if names := system.strings(list); len(names) > 0 {
			for i := range names {
				names[i] = clean(names[i])
			}
			text.WriteString("\n- " + capitalized(list) + ": " + strings.Join(names, ", "))
		}
	}
	return text.String()
}

// owners names the teams that own a system.
func owners(system entry) string { return join(system.strings("owners"), "and") }

func systemTable(systems []entry, intro, none string) string {
	if len(systems) == 0 {
		return none
	}
	rows := [][]string{{"System", "Owner", "Description"}}
	for _, s := range systems {
		rows = append(rows, []string{s.text("name"), owners(s), s.text("description")})
	}
	return intro + "\n\n" + table(rows)
}

// table writes a Markdown table; the first row is its head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| ")
			b.WriteString(clean(cell))
			b.WriteByte(' ')
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// counted is "is 1 system" or "are 3 systems".
func counted(n int, noun string) string {
	if n == 1 {
		return "is " + number(n, noun)
	}
	return "are " + number(n, noun)
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
