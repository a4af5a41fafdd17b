package docsindex

import "regexp"

// glossaryFile is the page that defines the product's own terms.
const glossaryFile = "glossary.md"

// glossaryEntry matches a term with the field's words for it: "- **Claim** (also: fencing token): ...".
var glossaryEntry = regexp.MustCompile(`(?m)^- \*\*([^*\n]+)\*\* \(also: ([^)\n]+)\):`)

// glossarySynonyms returns the synonyms of a glossary as thesaurus lines, in both directions: a search by the field's
// word finds pages with the product's term, and the reverse.
func glossarySynonyms(source []byte) []string {
	var lines []string
	for _, entry := range glossaryEntry.FindAllSubmatch(source, -1) {
		term, others := string(entry[1]), string(entry[2])
		lines = append(lines, others+": "+term, term+": "+others)
	}
	return lines
}
