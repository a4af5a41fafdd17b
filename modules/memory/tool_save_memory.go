package memory

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/kit"
)

type saveMemoryInput struct {
	Scope        Scope      `json:"scope" jsonschema:"enum=user,enum=system,description=user: only the person you act for. system: everybody who may see the system."`
	SystemID     *uuid.UUID `json:"systemId,omitempty" jsonschema:"description=Required for scope system; ids come from catalog_listSystems."`
	RecallHint   string     `json:"recallHint" jsonschema:"minLength=1,maxLength=200,description=When to recall it: the topic in a few words on one line."`
	Content      string     `json:"content" jsonschema:"minLength=1,maxLength=4000,description=What to recall; complete without this conversation."`
	Tags         *[]string  `json:"tags,omitempty" jsonschema:"maxItems=10,description=Short labels; kept in lower case."`
	AlwaysInject *bool      `json:"alwaysInject,omitempty" jsonschema:"description=Make it part of every prompt of this person; only when they ask for that."`
	Replaces     *uuid.UUID `json:"replaces,omitempty" jsonschema:"description=The id of a memory to update instead of making another. Left out: one with nearly the same recall hint is found and updated."`
}

type saveMemoryOutput struct {
	ID      uuid.UUID `json:"id"`
	Updated bool      `json:"updated" jsonschema:"description=Whether a memory that was there was updated."`
}

// A save is one of two requests, which depends on its input: hence the general constructor.
func saveMemoryTool() tool.Tool {
	d := kit.Define(texts, "ai.saveMemory", tool.Mutate, Read, Manage).AsPersonal()
	d.Impact.Inverse = undoSave
	d.Operations.Write = tool.Operation{Method: http.MethodPost, Path: path}
	d.Operations.RelatedOperations = []tool.Operation{
		{Method: http.MethodPatch, Path: path + "/{id}"},
		{Method: http.MethodPut, Path: path + "/{id}/always-inject"},
	}
	return kit.NewWriteFunc(d, proposeSave,
		func(ctx context.Context, c tool.Caller, in saveMemoryInput) (saveMemoryOutput, error) {
			var saved Memory
			if in.Replaces != nil {
				body := Change{RecallHint: &in.RecallHint, Content: &in.Content, Tags: in.Tags, AlwaysInject: in.AlwaysInject}
				_, err := c.Client.Do(ctx, http.MethodPatch, memoriesAPI.At(*in.Replaces), body, &saved)
				return saveMemoryOutput{ID: saved.ID, Updated: true}, err
			}
			// The card shows a new memory, so it must not replace one saved since.
			body := struct {
				saveMemoryInput
				IfSimilar string `json:"ifSimilar"`
			}{in, refuseSimilar}
			_, err := c.Client.Do(ctx, http.MethodPost, memoriesAPI.Path, body, &saved)
			return saveMemoryOutput{ID: saved.ID}, err
		})
}

// undoSave returns the undo: deletes the memory, or restores its previous text.
func undoSave(d tool.Done) (name string, input json.RawMessage, ok bool) {
	var in saveMemoryInput
	if err := json.Unmarshal(d.Payload, &in); err != nil {
		return "", nil, false
	}
	if in.Replaces == nil {
		return kit.Remover("ai.deleteMemory", "")(d)
	}
	return kit.Former("ai.saveMemory")(d)
}

// proposeSave previews the new or replaced memory.
func proposeSave(ctx context.Context, c tool.Caller, in saveMemoryInput) (kit.Preview[saveMemoryInput], error) {
	var none kit.Preview[saveMemoryInput]
	var v validation
	n := v.memory(NewMemory{Scope: in.Scope, SystemID: in.SystemID, RecallHint: in.RecallHint, Content: in.Content, Tags: tagsOf(in)})
	if err := v.Err(); err != nil {
		return none, err
	}
	in.RecallHint, in.Content = n.RecallHint, n.Content
	if in.Tags != nil {
		in.Tags = &n.Tags
	}
	target := Memory{Scope: in.Scope, SystemID: in.SystemID, MayChange: true}
	if in.SystemID != nil {
		system, err := readSystem(ctx, c, *in.SystemID)
		if err != nil {
			return none, err
		}
		target.SystemName, target.MayChange = system.Name, system.Access != "viewer"
	}
	if err := target.changeable("save"); err != nil {
		return none, err
	}
	live, etag, err := replaced(ctx, c, in)
	if err != nil {
		return none, err
	}
	if live == nil {
		return kit.Preview[saveMemoryInput]{
			Summary: "Remember " + quoted(in.RecallHint) + target.where() + always(in.AlwaysInject),
			Payload: in,
		}, nil
	}
	in.Replaces = &live.ID
	diff, err := kit.Differing(*live, changed(*live, in), "this is remembered already, as %s.", quoted(live.RecallHint))
	if err != nil {
		return none, err
	}
	summary := "Update the memory " + quoted(live.RecallHint) + target.where() + always(in.AlwaysInject)
	return kit.Preview[saveMemoryInput]{
		Summary: summary, Payload: in, Diff: diff, Revision: etag, Labels: map[string]string{live.ID.String(): live.RecallHint},
	}, nil
}

// replaced returns the memory that a save would update, nil for a new one.
func replaced(ctx context.Context, c tool.Caller, in saveMemoryInput) (*Memory, string, error) {
	id := in.Replaces
	if id == nil {
		q := url.Values{"scope": {string(in.Scope)}, "recallHint": {in.RecallHint}}
		if in.SystemID != nil {
			q.Set("systemId", in.SystemID.String())
		}
		var found struct {
			Memory *Memory `json:"memory"`
		}
		if _, err := c.Client.Get(ctx, memoriesAPI.Path+"/similar?"+q.Encode(), &found); err != nil || found.Memory == nil {
			return nil, "", err
		}
		id = &found.Memory.ID
	}
	found, err := memoriesAPI.Load(ctx, c, *id, "replaces")
	if err != nil {
		return nil, "", err
	}
	live := found.Record
	if live.Scope != in.Scope || !sameID(live.SystemID, in.SystemID) {
		detail := "The memory " + quoted(
			live.RecallHint,
		) + " has another scope or system. Save a new one, and delete that one if it is no longer needed."
		return nil, "", problem.InvalidInput(detail, problem.Issue{Path: "replaces", Message: "has another scope or system"})
	}
	if err := live.changeable("change"); err != nil {
		return nil, "", err
	}
	if in.AlwaysInject != nil {
		return &live, found.Revision, live.alwaysInjectable()
	}
	return &live, found.Revision, nil
}

// changed holds the fields of a memory that a diff shows.
func changed(m Memory, in saveMemoryInput) Memory {
	m.RecallHint, m.Content = in.RecallHint, in.Content
	rest.Replace(&m.Tags, in.Tags)
	rest.Replace(&m.AlwaysInject, in.AlwaysInject)
	return m
}

type systemInCatalog struct {
	Name   string `json:"name"`
	Access string `json:"access"`
}

// readSystem loads a system through the catalog's API.
func readSystem(ctx context.Context, c tool.Caller, id uuid.UUID) (s systemInCatalog, err error) {
	_, err = c.Client.Get(ctx, "/api/catalog/systems/"+id.String(), &s)
	if problem.Is(err, problem.NotFound) {
		return s, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "systemId", Message: "names no system"})
	}
	return s, err
}

func tagsOf(in saveMemoryInput) []string {
	if in.Tags == nil {
		return nil
	}
	return *in.Tags
}

func always(inject *bool) string {
	if inject != nil && *inject {
		return ", in every prompt of yours"
	}
	return ""
}

func sameID(a, b *uuid.UUID) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}
