package migrations_test

import (
	"regexp"
	"strings"
)

// review is what is known of a migration while its statements are looked at one by one.
type review struct {
	beside                   bool
	made, dropped, validated map[string]bool
	found                    []string
}

var (
	table       = regexp.MustCompile(`^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)`)
	index       = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(?:(\w+) )?ON (?:ONLY )?(\w+)`)
	dropIndex   = regexp.MustCompile(`^DROP INDEX CONCURRENTLY IF EXISTS (\w+)`)
	alter       = regexp.MustCompile(`^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+) (.*)$`)
	changesRows = regexp.MustCompile(`(?:^|[ (])(?:UPDATE (?:ONLY )?(\w+) (?:AS )?(?:\w+ )?SET |DELETE FROM (?:ONLY )?(\w+))`)
	writesAnew  = regexp.MustCompile(`^(?:CLUSTER\b|VACUUM FULL\b|REINDEX )`)

	constraint = regexp.MustCompile(`\b(?:CHECK|REFERENCES)\b`)
	notValid   = regexp.MustCompile(`\bNOT VALID\b`)
	validate   = regexp.MustCompile(`\bVALIDATE CONSTRAINT\b`)
	retype     = regexp.MustCompile(`\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b`)
	unique     = regexp.MustCompile(`\bADD (?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b`)
	storage    = regexp.MustCompile(`\bSET (?:LOGGED|UNLOGGED|TABLESPACE)\b`)
)

// look judges one statement, as statements gives it.
func (r *review) look(s string) {
	if m := table.FindStringSubmatch(s); m != nil {
		r.made[lower(m[1])] = true
		return
	}
	if m := dropIndex.FindStringSubmatch(s); m != nil {
		r.dropped[m[1]] = true
		return
	}
	if m := index.FindStringSubmatch(s); m != nil {
		r.index(m[1] != "", m[2], lower(m[3]))
		return
	}
	if m := alter.FindStringSubmatch(s); m != nil {
		if !r.free(m[1]) {
			r.alter(lower(m[1]), m[2])
		}
		return
	}
	if writesAnew.MatchString(s) && !strings.Contains(s, "CONCURRENTLY") {
		r.report("a table is written anew while nobody can use it: %s", s)
	}
	if strings.HasPrefix(s, "CREATE ") || r.beside {
		return
	}
	for _, m := range changesRows.FindAllStringSubmatch(s, -1) {
		if name := m[1] + m[2]; !r.free(name) {
			r.report("rows of %s are changed in one transaction, which may be millions; change a thousand at a time, as 00025 does", lower(name))
		}
	}
}

// free reports whether anything may be done to a table: it was made here, or it is small.
func (r *review) free(name string) bool { return r.made[lower(name)] || small(lower(name)) }

func (r *review) index(concurrently bool, name, on string) {
	switch {
	case r.free(on):
	case !concurrently:
		r.report("the index %s keeps writers of %s out while it is built; build it CONCURRENTLY, in a migration with NO TRANSACTION", name, on)
	case !r.dropped[name]:
		r.report("a build of the index %s that was given up leaves an index that is not valid; DROP INDEX CONCURRENTLY IF EXISTS it before", name)
	}
}

func (r *review) alter(name, actions string) {
	switch {
	case validate.MatchString(actions):
		r.validated[name] = true
		if !r.beside {
			r.report("a constraint of %s is validated while the transaction keeps others out; do it in a migration with NO TRANSACTION", name)
		}
	case retype.MatchString(actions):
		r.report("a column of %s gets another TYPE, for which the table is written anew; add a column", name)
	case storage.MatchString(actions):
		r.report("%s is written anew", name)
	case unique.MatchString(actions) && !strings.Contains(actions, "USING INDEX"):
		r.report("an index of %s is built while nobody can use the table; build it CONCURRENTLY, then add the constraint USING INDEX", name)
	case len(constraint.FindAllString(actions, -1)) > len(notValid.FindAllString(actions, -1)):
		r.report(
			"all rows of %s are looked at for a constraint while nobody can use the table; add it NOT VALID, and validate it in a later migration",
			name,
		)
	case strings.Contains(actions, "SET NOT NULL") && !r.validated[name]:
		r.report("all rows of %s are looked at for SET NOT NULL while nobody can use the table; validate a CHECK before", name)
	}
}

func lower(s string) string { return strings.ToLower(s) }

// statements are those of a text, in upper case, on one line each, without comments and without what stands in quotes.
func statements(text string) []string {
	var all []string
	var b strings.Builder
	for len(text) > 0 {
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
			b.WriteByte('\n')
		case text[0] == '\'' || text[0] == '"':
			_, text, _ = strings.Cut(text[1:], text[:1])
			b.WriteString("''")
		case dollar.MatchString(text):
			mark := dollar.FindString(text)
			_, text, _ = strings.Cut(text[len(mark):], mark)
			b.WriteString("''")
		case text[0] == ';':
			all, text = append(all, b.String()), text[1:]
			b.Reset()
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	all = append(all, b.String())
	var kept []string
	for _, s := range all {
		if s = strings.ToUpper(strings.Join(strings.Fields(s), " ")); s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

var dollar = regexp.MustCompile(`^\$\w*\$`)
