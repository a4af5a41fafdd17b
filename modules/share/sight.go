package share

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/chat/stream"
	"countersign/model"
	"countersign/modules/share/sharedb"
	"countersign/principal"
	"countersign/problem"
	"countersign/tool"
	"countersign/tool/audit"
)

// sighted are the types of records that not everybody sees who holds the rules of a tool. The audit log remembers them
// also when it is archived.
var sighted = audit.Remembered

// Of what a message was answered with.
const (
	skillType = "ai.skill"
	agentType = "agent.agent"
)

// mostRecords is of how many records of one conversation a reader's sight is asked; what tells of more is withheld.
const mostRecords = 500

// sight decides what one reader may see of what tools have told somebody else, for the length of one request.
type sight struct {
	*Module
	p     principal.Principal
	kinds map[string]audit.Kind
	rules []principal.Rule
	// records are those that were asked for, by type and id.
	records map[[2]string]bool
	ids     map[string]bool
}

func (m *Module) sight(p principal.Principal) *sight {
	s := &sight{Module: m, p: p, kinds: map[string]audit.Kind{}, rules: m.Rules(), records: map[[2]string]bool{}, ids: map[string]bool{}}
	for _, k := range slices.Concat(m.Kinds(), m.Named) {
		if slices.Contains(sighted, k.Type) || k.Type == skillType {
			s.kinds[k.Type] = k
		}
	}
	return s
}

// all reports whether the reader sees everything that went into a message: its parts, and what the model was told for it.
func (s *sight) all(ctx context.Context, parts []stream.Part, told []model.Message) (bool, error) {
	ids := map[string]bool{}
	names := map[string]bool{}
	// Of each call the message has a part, by which its result is judged. Where it has fewer, one call has taken the id of another.
	results := map[string]int{}
	for _, part := range parts {
		if part.Type == "dynamic-tool" {
			names[part.ToolName] = true
			if !s.mayResult(part.ToolName, part.Output) {
				return false, nil
			}
			results[part.ToolCallID]++
			collect(ids, part.Input, part.Output, json.RawMessage(part.ErrorText))
		} else if strings.HasPrefix(part.Type, "data-") {
			collect(ids, part.Data)
		}
	}
	for _, message := range told {
		// Besides results these are memories of systems and what became of proposals.
		collect(ids, json.RawMessage(message.Content))
		for _, call := range message.ToolCalls {
			names[call.Name] = true
			if results[call.ID]--; results[call.ID] < 0 && !s.mayResult(call.Name, nil) {
				return false, nil
			}
			collect(ids, json.RawMessage(call.Arguments))
		}
	}
	for name := range names {
		if !s.may(name) {
			return false, nil
		}
	}
	return s.sees(ctx, ids)
}

// instructions reports whether the reader sees the skill or the agent that a message was answered with: an answer can repeat its text.
func (s *sight) instructions(ctx context.Context, skill string, agent *uuid.UUID) (bool, error) {
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
	return s.record(ctx, key)
}

// may reports whether the reader could have used a tool and been told all that its kind tells.
//
// A tool that is not the product's own answers what its maker or a server elsewhere wants, and one with content from outside what some
// server told this caller: who may see that cannot be known. Only a probe, which everybody may make, is an exception. Results of the others
// name records of their module, so it takes the rules to read all of those; what grants open is looked at record by record.
func (s *sight) may(name string) bool {
	t, known := s.Tools.Fixed(name)
	switch {
	case !known, t.Access.Hidden, t.Access.Personal, t.Authorize(s.p) != nil, t.Result.Untrusted && len(t.Rules) > 0:
		return false
	case t.Result.Trusted || t.Result.Question:
		return true
	}
	return s.readsAll(t)
}

// mayResult reports whether the reader holds the rules by which one result was told, of a tool that says so of each.
func (s *sight) mayResult(name string, output json.RawMessage) bool {
	t, known := s.Tools.Fixed(name)
	if known && t.WireName() == assistant.SearchTool && !s.foundOwn(output) {
		return false
	}
	return known && (t.Result.ImpliedRules == nil || len(s.p.Missing(t.Result.ImpliedRules(output)...)) == 0)
}

// foundOwn reports whether a search for tools has found none but the product's own. What others have made says by its
// name and description what is only for those who may use it.
func (s *sight) foundOwn(output json.RawMessage) bool {
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

// readsAll reports whether the reader may read whatever a tool can have told: all of the catalog, as most tools name systems, and all of
// its module, unless each of its results says what it was told by.
func (s *sight) readsAll(t tool.Tool) bool {
	module, _, _ := strings.Cut(t.Name, ".")
	if module == "ai" {
		return true // many modules, whose tools tell of themselves alone
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

// collect adds all ids that stand anywhere in some texts.
func collect(ids map[string]bool, texts ...json.RawMessage) {
	for _, text := range texts {
		for _, found := range uuids.FindAll(text, -1) {
			ids[strings.ToLower(string(found))] = true
		}
	}
}

// sees reports whether the reader sees each of the ids that is a record, and each record that was ever put together with one.
func (s *sight) sees(ctx context.Context, ids map[string]bool) (bool, error) {
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
	if len(s.ids) > mostRecords {
		return false, nil
	}
	params.Types, params.MaxRows = sighted, mostRecords+1
	rows, err := s.queries(ctx).RecordsOf(ctx, params)
	if err != nil {
		return false, fmt.Errorf("find records: %w", err)
	}
	if len(rows) > mostRecords {
		return false, nil
	}
	for _, r := range rows {
		key := [2]string{*r.ObjectType, *r.ObjectID}
		if sees, err := s.record(ctx, key); err != nil || !sees {
			return false, err
		}
	}
	return true, nil
}

// record is one, and asks once in a request.
func (s *sight) record(ctx context.Context, key [2]string) (bool, error) {
	if sees, asked := s.records[key]; asked {
		return sees, nil
	}
	if len(s.records) >= mostRecords {
		return false, nil
	}
	sees, err := s.one(ctx, key)
	if err == nil {
		s.records[key] = sees
	}
	return sees, err
}

// one asks the module that owns a record whether the reader, who is the principal of ctx, sees it.
func (s *sight) one(ctx context.Context, key [2]string) (bool, error) {
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
