package tool

import (
	"fmt"
	"slices"
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

// Lost are the fields of a difference in which something goes away without anything in its place: a text or a list is
// emptied, an entry of a list or a member of an object disappears, something is switched off, or made private.
func Lost(diff []Change) []string {
	var fields []string
	for _, change := range diff {
		if field := fieldOf(change.Path); lost(change) && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

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
