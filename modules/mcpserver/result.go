package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/secret/scrub"
	"countersign/internal/text"
	"countersign/tool"
)

const (
	// maxParts bounds the names of non-text parts of a result.
	maxParts = 20
	maxPart  = 300
)

// addResult adds a result to called: texts and structured part without credentials, and the names of all other parts.
func (x *session) addResult(called *Called, result *sdk.CallToolResult) {
	called.OK = !result.IsError
	var texts []string
	for _, content := range result.Content {
		switch c := content.(type) {
		case *sdk.TextContent:
			texts = append(texts, c.Text)
		case *sdk.EmbeddedResource:
			if r := c.Resource; r != nil && r.Text != "" {
				texts = append(texts, r.Text)
				continue
			}
			x.leaveOut(called, "a resource that is no text")
		case *sdk.ResourceLink:
			x.leaveOut(called, "a link to the resource "+c.URI)
		case *sdk.ImageContent:
			x.leaveOut(called, fmt.Sprintf("an image, %s, %d bytes", c.MIMEType, len(c.Data)))
		case *sdk.AudioContent:
			x.leaveOut(called, fmt.Sprintf("a sound, %s, %d bytes", c.MIMEType, len(c.Data)))
		default:
			x.leaveOut(called, "a part of a sort that is not known")
		}
	}
	var cut bool
	called.Text, cut = cutText(strings.Join(texts, "\n\n"), maxResult)
	if cut {
		called.Text = x.masker.Cut(called.Text)
	}
	called.Text = text.Visible(scrub.Text(x.masker.Text(called.Text)))
	called.Truncated = cut
	x.addStructured(called, result)
}

// addStructured adds the structured part, unless the text repeats it, as the protocol asks servers to send both.
func (x *session) addStructured(called *Called, result *sdk.CallToolResult) {
	if result.StructuredContent == nil {
		return
	}
	document, err := tool.Canonical(result.StructuredContent)
	if err != nil {
		x.leaveOut(called, "a structured part that is not JSON")
		return
	}
	if len(document) > maxResult {
		called.Truncated = true
		x.leaveOut(called, fmt.Sprintf("a structured part of %d bytes", len(document)))
		return
	}
	document = scrub.JSON(x.masker.JSON(document))
	if said, err := tool.Canonical(json.RawMessage(called.Text)); err == nil && string(said) == string(document) {
		called.Text = ""
	}
	called.Structured = document
}

// leaveOut records the name of a part that is left out.
func (x *session) leaveOut(called *Called, part string) {
	if len(called.LeftOut) < maxParts {
		called.LeftOut = append(called.LeftOut, text.Shown(scrub.Text(x.masker.Text(part)), maxPart))
	}
}

// cutText cuts a text to most bytes at a character boundary, and reports whether it did.
func cutText(s string, most int) (string, bool) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s, false
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most], true
}
