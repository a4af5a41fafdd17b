package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/secret/scrub"
	"countersign/text"
	"countersign/tool"
)

const (
	// maxParts bounds the parts of a result that are no text and are named.
	maxParts = 20
	maxPart  = 300
)

// show puts a result into an answer: its texts and its structured part, without credentials, and a word about everything else.
func (x *session) show(called *Called, result *sdk.CallToolResult) {
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
	called.Text, cut = clipped(strings.Join(texts, "\n\n"), maxResult)
	if cut {
		called.Text = x.masker.Cut(called.Text)
	}
	called.Text = text.Visible(scrub.Text(x.masker.Text(called.Text)))
	called.Truncated = cut
	x.structure(called, result)
}

// structure adds the structured part, unless the texts say the same, as the protocol asks servers to write it in both ways.
func (x *session) structure(called *Called, result *sdk.CallToolResult) {
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

// leaveOut names a part that is left out.
func (x *session) leaveOut(called *Called, part string) {
	if len(called.LeftOut) < maxParts {
		called.LeftOut = append(called.LeftOut, text.Shown(scrub.Text(x.masker.Text(part)), maxPart))
	}
}

// clipped is the beginning of a text, of whole characters.
func clipped(s string, most int) (string, bool) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s, false
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most], true
}
