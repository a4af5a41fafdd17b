package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"
)

// writeAnAgent writes a tool twice, freezes it and lets it go live. Each call is repeated until it is answered: what is live in the
// end is what was written last, whole, whoever died meanwhile.
func writeAnAgent(ctx context.Context, p *person) error {
	var agent, draft struct {
		ID uuid.UUID `json:"id"`
	}
	name := uuid.NewString()
	if err := p.written(ctx, http.MethodPost, "/api/agents", object{"slug": "agent-" + name[:8], "name": "Agent " + name}, "agent-"+name, &agent); err != nil {
		return err
	}
	path := "/api/agents/" + agent.ID.String() + "/revisions"
	if err := p.written(ctx, http.MethodPost, path, object{}, "draft-"+name, &draft); err != nil {
		return err
	}
	p.run.about(draft.ID)
	path += "/" + draft.ID.String()
	source := ""
	for _, word := range []string{"first", "last"} {
		source = fmt.Sprintf("export default { actions: { default: () => %q } };\n", word+" "+name)
		body := object{"description": "Says a word.", "args_schema": object{}, "source": source}
		if err := p.written(ctx, http.MethodPut, path+"/tools/word", body, "", nil); err != nil {
			return err
		}
	}
	var frozen struct {
		SHA256 string `json:"bundle_sha256"`
	}
	if err := p.written(ctx, http.MethodPost, path+"/freeze", nil, "", &frozen); err != nil {
		return err
	}
	if err := p.written(ctx, http.MethodPost, path+"/promote", nil, "", nil); err != nil {
		return err
	}
	return p.live(ctx, path, source, frozen.SHA256)
}

// written insists on a write of an agent, and reads its answer.
func (p *person) written(ctx context.Context, method, path string, body any, key string, into any) error {
	a, err := p.insist(ctx, method, path, body, key)
	if err != nil {
		return err
	}
	if !a.ok() {
		return fmt.Errorf("%s %s: status %d: %s", method, path, a.status, clip(a.body))
	}
	if into == nil {
		return nil
	}
	return a.into(into)
}

// live looks whether a revision is live and has one tool, with this source.
func (p *person) live(ctx context.Context, path, source, sha256 string) error {
	var bundle struct {
		State  string `json:"state"`
		SHA256 string `json:"bundle_sha256"`
		Bundle struct {
			Tools []struct {
				Source string `json:"source"`
			} `json:"tools"`
		} `json:"bundle"`
	}
	if err := p.written(ctx, http.MethodGet, path+"/bundle", nil, "", &bundle); err != nil {
		return err
	}
	if tools := bundle.Bundle.Tools; bundle.State != "live" || bundle.SHA256 != sha256 || len(tools) != 1 || tools[0].Source != source {
		return fmt.Errorf("agent: the revision %s is not what was written: %v", path, bundle)
	}
	return nil
}
