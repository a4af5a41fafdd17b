package kit

import (
	"strings"

	"countersign/tool"
)

// NewPlaybook makes a playbook from an embedded file, without the newline at its end.
func NewPlaybook(name, file string, tools ...string) tool.Playbook {
	return tool.Playbook{Name: name, Text: strings.TrimSuffix(file, "\n"), Tools: tools}
}
