package tool

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// raised is the effect of one change: that which its tool declares, unless the dry run knows of a worse one, or the
// difference shows that something is lost. It never becomes better than declared.
func raised(declared, found Effect, why string, diff []Change) (Effect, string) {
	if declared != Mutate {
		return declared, ""
	}
	if found == Destructive {
		return Destructive, why
	}
	if lost := Lost(diff); len(lost) > 0 {
		return Destructive, lostText(lost)
	}
	return declared, ""
}

// Lost are the fields of a difference in which something goes away: a text or a list is emptied, an entry of a list, or
// what is written in one, is not there any more at any place, a member of an object disappears, something is switched off,
// or made private.
func Lost(diff []Change) []string {
	stays := entriesAfter(diff)
	var fields []string
	for _, change := range diff {
		gone := lost(change) || anyPlace(change.Path) != change.Path && !empty(change.Before) && !contains(change.Before) && !stays.holds(change)
		if field := fieldOf(change.Path); gone && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

// entries are the values that lists have after a change, by the path without places: a list is compared as a set, for
// an entry that moves is not lost, and one that another stands in for is.
type entries map[string][]any

func entriesAfter(diff []Change) entries {
	e := entries{}
	for _, change := range diff {
		if anyPlace(change.Path) != change.Path {
			e.add(change.Path, change.After)
		}
	}
	return e
}

func (e entries) add(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inside := range v {
			e.add(join(path, key), inside)
		}
	case []any:
		for i, inside := range v {
			e.add(path+"["+strconv.Itoa(i)+"]", inside)
		}
	default:
		e[anyPlace(path)] = append(e[anyPlace(path)], v)
	}
}

func (e entries) holds(c Change) bool { return slices.Contains(e[anyPlace(c.Path)], c.Before) }

var place = regexp.MustCompile(`\[\d+\]`)

// anyPlace is a path without the places of lists.
func anyPlace(path string) string { return place.ReplaceAllString(path, "[]") }

func lost(c Change) bool {
	if before, ok := c.Before.(bool); ok {
		after, stays := c.After.(bool)
		closed := fieldOf(c.Path) == "private" && !before && after
		return before && (!stays || !after) || closed
	}
	return !empty(c.Before) && (empty(c.After) || contains(c.Before) && !contains(c.After))
}

// contains holds for lists and objects.
func contains(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// empty holds for what says nothing. A number always says something.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// fieldOf names the field of a path: without the places of lists, and of sets of names without the name.
func fieldOf(path string) string {
	path, _, _ = strings.Cut(path, "[")
	first, rest, nested := strings.Cut(path, ".")
	if nested && (first == "metadata" || first == "fields") {
		return rest
	}
	return first
}

func lostText(fields []string) string {
	const most = 3
	named := fields[:min(len(fields), most)]
	more := ""
	if len(fields) > most {
		more = " and more"
	}
	return fmt.Sprintf("This takes something away: %s%s.", strings.Join(named, ", "), more)
}
