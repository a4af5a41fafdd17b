package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"countersign/internal/json/schema"
	"countersign/tool"
)

// MaxTimeout bounds one attempt of an action.
const MaxTimeout = 24 * time.Hour

var (
	idPattern       = regexp.MustCompile(`^[a-z][a-z-]{0,30}\.[a-z][a-z0-9_]{1,40}$`)
	artifactPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{1,40}$`)
)

// Set checks actions as they are added: each of them alone, and that ids are unique. The zero value is empty.
type Set struct {
	actions   map[string]string
	artifacts map[string]offered
}

// offered is an artifact type with the part that offered it first.
type offered struct {
	by     string
	schema json.RawMessage
}

// Add adds the actions of a part of the product, whose name is part of errors.
func (s *Set) Add(by string, actions ...Action) error {
	if s.actions == nil {
		s.actions, s.artifacts = map[string]string{}, map[string]offered{}
	}
	var failed []error
	for _, a := range actions {
		if err := a.check(); err != nil {
			failed = append(failed, fmt.Errorf("%s: action %q: %w", by, a.ID, err))
		}
		if first, twice := s.actions[a.ID]; twice {
			failed = append(failed, fmt.Errorf("%s and %s have an action with the same id, %q", first, by, a.ID))
			continue
		}
		s.actions[a.ID] = by
		for _, t := range a.Produces {
			failed = append(failed, s.addArtifact(by+", action "+a.ID, t))
		}
	}
	return errors.Join(failed...)
}

func (s *Set) addArtifact(by string, t ArtifactType) error {
	if err := t.check(); err != nil {
		return fmt.Errorf("%s: artifact type %q: %w", by, t.ID, err)
	}
	canonical, err := tool.Canonical(t.Schema)
	if err != nil {
		return err
	}
	first, known := s.artifacts[t.ID]
	if known && string(first.schema) != string(canonical) {
		return fmt.Errorf("%s and %s have artifact types with the same id, %q, and different schemas", first.by, by, t.ID)
	}
	if !known {
		s.artifacts[t.ID] = offered{by, canonical}
	}
	return nil
}

func (a Action) check() error {
	switch {
	case !idPattern.MatchString(a.ID):
		return errors.New("the id must look like incident.add_update")
	case a.Name == "", a.Description == "", a.Category == "":
		return errors.New("a name, a description or a category is missing")
	case a.Effect != tool.Read && a.Effect != tool.Mutate:
		return fmt.Errorf("an action reads or changes, and is not %q", a.Effect)
	case a.Timeout < 0 || a.Timeout > MaxTimeout:
		return fmt.Errorf("an attempt may take %s at most", MaxTimeout)
	case a.Do == nil, a.DryRun == nil:
		return errors.New("its code or its dry run is missing")
	}
	return closed(a.Config)
}

func (t ArtifactType) check() error {
	if !artifactPattern.MatchString(t.ID) || t.Name == "" || t.Description == "" {
		return errors.New("the id must look like shell_result, beside a name and a description")
	}
	return closed(t.Schema)
}

// closed checks that a schema is one of objects without further members.
func closed(raw json.RawMessage) error {
	if _, err := schema.Parse(raw); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	var top struct {
		Type       string          `json:"type"`
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if err := json.Unmarshal(raw, &top); err != nil || top.Type != "object" || string(top.Additional) != "false" {
		return errors.New("schema: it must describe an object, with additionalProperties false")
	}
	return nil
}
