// Package commits checks the subjects of commits: imperative, at most 72 characters, no full stop at the end.
package commits

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSubject is the longest subject in characters that lists of commits show without cutting it.
const maxSubject = 72

// forms are endings of verbs in other forms than the imperative: "Added", "Adding", "Adds".
var forms = regexp.MustCompile(`(?i)(ed|ing|[^s]s|sses|shes|ches|xes|zes)$`)

// imperatives are verbs in the imperative that end as other forms do.
var imperatives = []string{
	"bring", "bus", "bypass", "canvas", "embed", "exceed", "feed", "focus", "heed", "need", "ping", "proceed", "seed", "shed", "speed",
	"spring", "string", "succeed", "swing", "weed",
}

// Check returns what is wrong with a subject, nothing when it keeps the rules.
func Check(subject string) (faults []string) {
	if n := utf8.RuneCountInString(subject); n > maxSubject {
		faults = append(faults, fmt.Sprintf("has %d characters, at most %d are allowed", n, maxSubject))
	}
	if strings.HasSuffix(subject, ".") {
		faults = append(faults, "ends with a full stop")
	}
	verb, _, _ := strings.Cut(subject, " ")
	if first, _ := utf8.DecodeRuneInString(verb); !unicode.IsUpper(first) {
		faults = append(faults, "does not begin with a capital letter")
	}
	if strings.HasSuffix(verb, ":") {
		return append(faults, "begins with a label instead of a verb")
	}
	if forms.MatchString(verb) && !slices.Contains(imperatives, strings.ToLower(verb)) {
		faults = append(faults, fmt.Sprintf("begins with %q instead of a verb in the imperative, such as %q", verb, "Add"))
	}
	return faults
}
