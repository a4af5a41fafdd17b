package healthcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"go.yaml.in/yaml/v3"

	"countersign/check"
	"countersign/check/health"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
)

// Limits of documents.
const (
	MaxDocumentBytes  = 1 << 20
	MaxDocumentChecks = 200
	maxDocumentDepth  = 24
)

// DocumentVersion is the current version of documents.
const DocumentVersion = 1

// Document holds health checks for another installation, or for version control beside the checked code. It references
// systems, environments and secrets by name.
type Document struct {
	Version int             `json:"version" minimum:"1" maximum:"1000" doc:"Of the form of the document; 1 today."`
	Checks  []PortableCheck `json:"checks" nullable:"false" maxItems:"200"`
}

// PortableCheck is a health check in a document.
type PortableCheck struct {
	Name        string `json:"name" minLength:"1" maxLength:"120" doc:"It is known by it, whatever the case."`
	Description string `json:"description,omitempty" maxLength:"2000"`
	Definition
	Paused *bool `json:"paused,omitempty" doc:"Absent: a check that is there stays as it is, a new one runs."`
	// Assignments are added or changed by an import, which removes none.
	Assignments []PortableAssignment `json:"assignments,omitempty" maxItems:"200" nullable:"false" doc:"The systems that it checks. Further assignments of a check that is there stay."`
}

// PortableAssignment is an assignment in a document.
type PortableAssignment struct {
	System       string            `json:"system" minLength:"1" maxLength:"120" doc:"The name of the system, whatever the case. An import creates a system that does not exist."`
	Enabled      *bool             `json:"enabled,omitempty" doc:"True when absent."`
	Thresholds   health.Thresholds `json:"thresholds,omitempty,omitzero"`
	Environments *[]string         `json:"environments,omitempty" nullable:"false" maxItems:"50" doc:"Names of environments of the system. Absent for all of them; empty for once without one."`
}

// Export returns a document of checks that the caller may see, by name. Too many checks for a document are an Invalid
// error.
func (s *service) Export(ctx context.Context, f Filter) (Document, error) {
	d := Document{Version: DocumentVersion, Checks: []PortableCheck{}}
	checks, next, err := s.Checks(ctx, f, rest.Page{Limit: MaxDocumentChecks})
	if err != nil {
		return d, err
	}
	if next.NextCursor != "" {
		return d, problem.InvalidInput(
			fmt.Sprintf(
				"More than %d health checks match, which is what a document holds. Narrow it with query, strategyId or systemId.",
				MaxDocumentChecks,
			),
		)
	}
	d.Checks, err = s.portable(ctx, checks)
	return d, err
}

// portable converts checks for a document, with current versions of their configs.
func (s *service) portable(ctx context.Context, checks []Check) ([]PortableCheck, error) {
	assigned, err := s.portableAssignments(ctx, checks)
	if err != nil {
		return nil, err
	}
	all := make([]PortableCheck, len(checks))
	for i, c := range checks {
		d, err := s.upgraded(c.Definition)
		if err != nil {
			return nil, err
		}
		all[i] = PortableCheck{
			Name: c.Name, Description: c.Description, Definition: d, Paused: &c.Paused, Assignments: assigned[c.ID],
		}
	}
	return all, nil
}

// upgraded returns a definition with current versions of its configs. A config that cannot be upgraded stays unchanged,
// for the validator to report.
func (s *service) upgraded(d Definition) (Definition, error) {
	c, err := s.Kinds.Upgrade(d.configuration())
	if problem.Is(err, problem.Invalid) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	// Equal values have equal text after encoding.
	written, err := json.Marshal(c)
	if err != nil {
		return d, fmt.Errorf("write a check: %w", err)
	}
	var read check.Configuration
	if err := json.Unmarshal(written, &read); err != nil {
		return d, fmt.Errorf("read a check: %w", err)
	}
	after, err := definitionOf(read, d.Interval)
	after.Locations, after.LocationRule = d.Locations, d.LocationRule
	for i, c := range d.Collectors {
		// A document that leaves them out does not choose none.
		if c.Assertions == nil && i < len(after.Collectors) {
			after.Collectors[i].Assertions = nil
		}
	}
	return after, err
}

// documentShape is the schema of a document, which equals that of a request.
var documentShape = func() (shape struct {
	registry huma.Registry
	schema   *huma.Schema
},
) {
	shape.registry = huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	shape.schema = shape.registry.Schema(reflect.TypeFor[Document](), false, "")
	return shape
}()

// ReadDocument parses a document in JSON or YAML. Errors of its form are an Invalid error that names each place.
func ReadDocument(content string) (Document, error) {
	var d Document
	if len(content) > MaxDocumentBytes {
		return d, problem.InvalidInput(fmt.Sprintf("The document has %d bytes, at most %d are allowed.", len(content), MaxDocumentBytes))
	}
	raw, err := documentJSON(content)
	if err != nil {
		return d, problem.InvalidInput(
			"The document cannot be read: "+text.Shown(err.Error(), 300)+".",
			problem.Issue{Path: "document", Message: text.Shown(err.Error(), 300)},
		)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return d, problem.InvalidInput(
			"The document is no JSON and no YAML.",
			problem.Issue{Path: "document", Message: text.Shown(err.Error(), 300)},
		)
	}
	if members, ok := value.(map[string]any); ok {
		if version, ok := members["version"].(float64); ok && version > DocumentVersion {
			return d, problem.InvalidInput(
				fmt.Sprintf(
					"The document is of version %v, and this installation reads version %d. Import it where it was written, or in a newer one.",
					version,
					DocumentVersion,
				),
				problem.Issue{Path: "version", Message: "is not known"},
			)
		}
	}
	found := &huma.ValidateResult{}
	huma.Validate(documentShape.registry, documentShape.schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, found)
	var v validation
	for _, err := range found.Errors {
		detail, ok := errors.AsType[*huma.ErrorDetail](err)
		if !ok {
			detail = &huma.ErrorDetail{Message: err.Error()}
		}
		v.Report(text.Shown(detail.Location, maxPath), "%s", text.Shown(detail.Message, 300))
	}
	if err := v.Err(); err != nil {
		return d, err
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, problem.InvalidInput("The document cannot be read.", problem.Issue{Path: "document", Message: text.Shown(err.Error(), 300)})
	}
	return d, nil
}

// documentJSON converts a document to JSON. Content that starts as a JSON object is JSON, anything else YAML.
func documentJSON(content string) ([]byte, error) {
	content = strings.TrimPrefix(content, "\ufeff")
	if trimmed := strings.TrimSpace(content); strings.HasPrefix(trimmed, "{") {
		return []byte(trimmed), nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(content))
	var document, more yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("it is empty or no YAML: %w", err)
	}
	if decoder.Decode(&more) == nil {
		return nil, fmt.Errorf("line %d begins a second document", more.Line)
	}
	var out bytes.Buffer
	if err := writeJSON(&out, &document, 0); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeJSON writes a node of YAML as JSON. Numbers keep their digits. Anchors are refused, as they can expand a short
// document exponentially.
func writeJSON(out *bytes.Buffer, n *yaml.Node, depth int) error {
	switch {
	case depth > maxDocumentDepth:
		return fmt.Errorf("line %d is nested more than %d levels deep", n.Line, maxDocumentDepth)
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return fmt.Errorf("line %d has an anchor or an alias, which are not read: write the value itself", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			return errors.New("it is empty")
		}
		return writeJSON(out, n.Content[0], depth+1)
	case yaml.MappingNode:
		return writeObject(out, n, depth)
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, element := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeJSON(out, element, depth+1); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	default:
		return writeScalar(out, n)
	}
}

func writeObject(out *bytes.Buffer, n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	out.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Tag == "!!merge":
			return fmt.Errorf("line %d has a member whose name is no text", key.Line)
		case seen[key.Value]:
			return fmt.Errorf("line %d has the member %s a second time", key.Line, text.Shown(key.Value, maxID))
		}
		seen[key.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeText(out, key.Value); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := writeJSON(out, value, depth+1); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func writeScalar(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Tag {
	case "!!null":
		out.WriteString("null")
		return nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		out.WriteString(strconv.FormatBool(b))
		return nil
	case "!!int", "!!float":
		// A valid JSON number stays unchanged; 0x10, 1_000 and .5 are converted.
		if json.Valid([]byte(n.Value)) {
			out.WriteString(n.Value)
			return nil
		}
		var number any
		if err := n.Decode(&number); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		raw, err := json.Marshal(number)
		if err != nil {
			return fmt.Errorf("line %d is no number that can be kept", n.Line)
		}
		out.Write(raw)
		return nil
	case "!!str", "!!timestamp":
		return writeText(out, n.Value)
	default:
		return fmt.Errorf("line %d has the tag %s, which is not read", n.Line, text.Shown(n.Tag, maxID))
	}
}

func writeText(out *bytes.Buffer, s string) error {
	raw, err := json.Marshal(s)
	out.Write(raw)
	return err
}

// As encodes a document in JSON or YAML.
func (d Document) As(format string) ([]byte, error) {
	if format == "yaml" {
		return d.yaml()
	}
	content, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write a document: %w", err)
	}
	return append(content, '\n'), nil
}

// yaml encodes a document as YAML, with its members in struct order.
func (d Document) yaml() ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("write a document: %w", err)
	}
	// JSON is YAML in flow style: decoding it and encoding it in block style keeps the order of members.
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil {
		return nil, fmt.Errorf("write a document: %w", err)
	}
	blocks(&node)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return nil, fmt.Errorf("write a document: %w", err)
	}
	return out.Bytes(), nil
}

func blocks(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle | yaml.DoubleQuotedStyle
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if strings.Contains(n.Value, "\n") {
			n.Style = yaml.LiteralStyle
		}
	}
	for _, inner := range n.Content {
		blocks(inner)
	}
}
