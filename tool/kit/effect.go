package kit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/tool"
)

// effectOfDiff returns the effect of one change: the declared one, or a worse one that the dry run reports or the diff shows.
// It is never better than declared.
func effectOfDiff(declared, found tool.Effect, why string, diff []tool.Change) (tool.Effect, string) {
	if declared != tool.Mutate {
		return declared, ""
	}
	if found == tool.Destructive {
		return tool.Destructive, why
	}
	if lost := Lost(diff); len(lost) > 0 {
		return tool.Destructive, lostText(lost)
	}
	return declared, ""
}

// Lost returns the fields of a diff in which something is lost: a text or a list is emptied, a list entry or a part of
// it disappears, an object member disappears, or something is disabled or made private.
func Lost(diff []tool.Change) []string {
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

// entries are the values of lists after a change, by path without indexes: lists compare as sets, so a moved or
// replaced entry is not lost.
type entries map[string][]any

func entriesAfter(diff []tool.Change) entries {
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

func (e entries) holds(c tool.Change) bool { return slices.Contains(e[anyPlace(c.Path)], c.Before) }

var place = regexp.MustCompile(`\[\d+\]`)

// anyPlace removes list indexes from a path.
func anyPlace(path string) string { return place.ReplaceAllString(path, "[]") }

func lost(c tool.Change) bool {
	if before, ok := c.Before.(bool); ok {
		after, stays := c.After.(bool)
		closed := fieldOf(c.Path) == "private" && !before && after
		return before && (!stays || !after) || closed
	}
	return !empty(c.Before) && (empty(c.After) || contains(c.Before) && !contains(c.After))
}

// contains reports whether a value is a list or an object.
func contains(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// empty reports whether a value holds nothing. A number is never empty.
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

// fieldOf returns the field of a path, without list indexes, and without the name in sets of names.
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
