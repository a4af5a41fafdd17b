package share

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/chat/assistant"
	"countersign/chat/stream"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/modules/share/sharedb"
	"countersign/tool"
)

// Types of the skill or agent of a message.
const (
	skillType = "ai.skill"
	agentType = "agent.agent"
)

// maxRecords limits the visibility checks of one conversation; messages with more records are withheld.
const maxRecords = 500

// readerSight decides what one reader sees of another user's tool results, for one request.
type readerSight struct {
	*Module
	p     principal.Principal
	kinds map[string]audit.Kind
	rules []principal.Rule
	// records caches the visibility of records by type and id.
	records map[[2]string]bool
	ids     map[string]bool
}

func (m *Module) sight(p principal.Principal) *readerSight {
	s := &readerSight{Module: m, p: p, kinds: map[string]audit.Kind{}, rules: m.Rules(), records: map[[2]string]bool{}, ids: map[string]bool{}}
	restricted := audit.Restricted()
	for _, k := range slices.Concat(m.Kinds(), m.Named) {
		if slices.Contains(restricted, k.ID) || k.ID == skillType {
			s.kinds[k.ID] = k
		}
	}
	return s
}

// canSeeMessage reports whether the reader sees everything that went into a message: its parts, and the model's inputs for it.
func (s *readerSight) canSeeMessage(ctx context.Context, parts []stream.Part, told []model.Message) (bool, error) {
	ids := map[string]bool{}
	names := map[string]bool{}
	// Each call has a part in the message, by which its result is judged. With fewer parts, one call reused another's
	// id.
	results := map[string]int{}
	for _, part := range parts {
		if part.Type == "dynamic-tool" {
			names[part.ToolName] = true
			if !s.canSeeResult(part.ToolName, part.Output) {
				return false, nil
			}
			results[part.ToolCallID]++
			collectIDs(ids, part.Input, part.Output, json.RawMessage(part.ErrorText))
		} else if strings.HasPrefix(part.Type, "data-") {
			collectIDs(ids, part.Data)
		}
	}
	for _, message := range told {
		// Beside results these are memories of systems and the outcomes of proposals.
		collectIDs(ids, json.RawMessage(message.Content))
		for _, call := range message.ToolCalls {
			names[call.Name] = true
			if results[call.ID]--; results[call.ID] < 0 && !s.canSeeResult(call.Name, nil) {
				return false, nil
			}
			collectIDs(ids, json.RawMessage(call.Arguments))
		}
	}
	for name := range names {
		if !s.canSeeTool(name) {
			return false, nil
		}
	}
	return s.canSeeIDs(ctx, ids)
}

// canSeeInstructions reports whether the reader sees the skill or agent of a message, whose text an answer can repeat.
func (s *readerSight) canSeeInstructions(ctx context.Context, skill string, agent *uuid.UUID) (bool, error) {
	key := [2]string{skillType, skill}
	switch {
	case skill == "":
		return true, nil
	case strings.HasPrefix(skill, assistant.AgentSkill):
		if agent == nil {
			return false, nil
		}
		key = [2]string{agentType, agent.String()}
	}
	return s.canSeeRecord(ctx, key)
}

// canSeeTool reports whether the reader could use a tool and see all that its kind of result holds.
//
// Results of custom and external tools, and of tools with untrusted content, may hold anything, so they are withheld;
// probes, which every user may run, are the exception. Results of other tools name records of their module, so the
// reader needs the rules to read them; access by grants is checked per record.
func (s *readerSight) canSeeTool(name string) bool {
	t, known := s.Tools.Fixed(name)
	switch {
	case !known, t.Access.Hidden, t.Access.Personal, t.Authorize(s.p) != nil, t.Result.Untrusted && len(t.Rules) > 0:
		return false
	case t.Result.Trusted || t.Result.Question:
		return true
	}
	return s.canReadAll(t)
}

// canSeeResult reports whether the reader holds the rules of one result, for tools that declare them per result.
func (s *readerSight) canSeeResult(name string, output json.RawMessage) bool {
	t, known := s.Tools.Fixed(name)
	if known && t.WireName() == assistant.SearchTool && !s.foundOwn(output) {
		return false
	}
	return known && (t.Result.ImpliedRules == nil || len(s.p.Missing(t.Result.ImpliedRules(output)...)) == 0)
}

// foundOwn reports whether a tool search found the product's own tools only. Custom tools reveal data in names and
// descriptions.
func (s *readerSight) foundOwn(output json.RawMessage) bool {
	var found struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(output, &found) != nil {
		return false
	}
	for _, t := range found.Tools {
		if _, own := s.Tools.Fixed(t.Name); !own {
			return false
		}
	}
	return true
}

// canReadAll reports whether the reader may read everything that a tool can return: the catalog, as most tools name
// systems, and the tool's module, unless its results declare their rules.
func (s *readerSight) canReadAll(t tool.Tool) bool {
	module, _, _ := strings.Cut(t.Name, ".")
	if module == "ai" {
		return true // many modules, whose tools return data of their own only
	}
	for _, rule := range s.rules {
		of, read := strings.CutSuffix(rule.ID, ".read")
		if !read || !strings.HasPrefix(of, "catalog.") && (t.Result.ImpliedRules != nil || !strings.HasPrefix(of, module+".")) {
			continue
		}
		if !s.p.Has(rule.ID) && !s.p.Has(of+".manage") {
			return false
		}
	}
	return true
}

var uuids = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// collectIDs adds all ids in some texts.
func collectIDs(ids map[string]bool, texts ...json.RawMessage) {
	for _, text := range texts {
		for _, found := range uuids.FindAll(text, -1) {
			ids[strings.ToLower(string(found))] = true
		}
	}
}

// canSeeIDs reports whether the reader sees each id that is a record, and each record that was ever related to it.
func (s *readerSight) canSeeIDs(ctx context.Context, ids map[string]bool) (bool, error) {
	params := sharedb.RecordsOfParams{}
	for id := range ids {
		if s.ids[id] {
			continue
		}
		parsed, err := uuid.Parse(id)
		if err != nil {
			continue
		}
		s.ids[id] = true
		params.Ids, params.Uuids = append(params.Ids, id), append(params.Uuids, parsed)
	}
	if len(params.Ids) == 0 {
		return true, nil
	}
	if len(s.ids) > maxRecords {
		return false, nil
	}
	params.Types, params.MaxRows = audit.Restricted(), maxRecords+1
	rows, err := s.queries(ctx).RecordsOf(ctx, params)
	if err != nil {
		return false, fmt.Errorf("find records: %w", err)
	}
	if len(rows) > maxRecords {
		return false, nil
	}
	for _, r := range rows {
		key := [2]string{*r.ObjectType, *r.ObjectID}
		if sees, err := s.canSeeRecord(ctx, key); err != nil || !sees {
			return false, err
		}
	}
	return true, nil
}

// canSeeRecord checks one record, cached per request.
func (s *readerSight) canSeeRecord(ctx context.Context, key [2]string) (bool, error) {
	if sees, asked := s.records[key]; asked {
		return sees, nil
	}
	if len(s.records) >= maxRecords {
		return false, nil
	}
	sees, err := s.checkRecord(ctx, key)
	if err == nil {
		s.records[key] = sees
	}
	return sees, err
}

// checkRecord asks the module of a record whether the reader, the principal of ctx, sees it.
func (s *readerSight) checkRecord(ctx context.Context, key [2]string) (bool, error) {
	kind, known := s.kinds[key[0]]
	if !known {
		return false, nil
	}
	err := kind.See(ctx, key[1])
	if code := problem.CodeOf(err); err != nil && code != problem.NotFound && code != problem.Forbidden {
		return false, fmt.Errorf("look at a record: %w", err)
	}
	return err == nil, nil
}
