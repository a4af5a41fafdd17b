package alert

import "embed"

//go:embed examples/*.json
var examples embed.FS

// Example is a payload of a kind, in the form in which the product sends it.
func Example(kind Kind) string {
	content, err := examples.ReadFile("examples/" + string(kind) + ".json")
	if err != nil {
		return ""
	}
	return string(content)
}
