package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// writeAnAgent writes a tool twice, freezes it and takes it live. Each call is repeated until it is answered: the live
// version is the complete last one, whichever process died meanwhile.
func writeAnAgent(ctx context.Context, p *person) error {
	name := uuid.NewString()
	var sources []string
	for _, word := range []string{"first", "last"} {
		sources = append(sources, fmt.Sprintf("export default { actions: { default: () => %q } };\n", word+" "+name))
	}
	_, err := p.agent(ctx, name, sources...)
	return err
}

// agent makes an agent with one tool, which is written with one source after the other, lets it go live, and returns its path.
func (p *person) agent(ctx context.Context, name string, sources ...string) (string, error) {
	var agent, draft struct {
		ID uuid.UUID `json:"id"`
	}
	if err := p.written(
		ctx,
		http.MethodPost,
		"/api/agents",
		object{"slug": "agent-" + name[:8], "name": "Agent " + name},
		"agent-"+name,
		&agent,
	); err != nil {
		return "", err
	}
	made := "/api/agents/" + agent.ID.String()
	if err := p.written(ctx, http.MethodPost, made+"/revisions", object{}, "draft-"+name, &draft); err != nil {
		return "", err
	}
	p.run.about(draft.ID)
	path := made + "/revisions/" + draft.ID.String()
	for _, source := range sources {
		body := object{"description": "Says a word.", "args_schema": object{}, "source": source}
		if err := p.written(ctx, http.MethodPut, path+"/tools/word", body, "", nil); err != nil {
			return "", err
		}
	}
	var frozen struct {
		SHA256 string `json:"bundle_sha256"`
	}
	if err := p.ran(ctx, path+"/freeze", nil, &frozen); err != nil {
		return "", err
	}
	if err := p.written(ctx, http.MethodPost, path+"/promote", nil, "", nil); err != nil {
		return "", err
	}
	return made, p.live(ctx, path, sources[len(sources)-1], frozen.SHA256)
}

// callATool calls a live tool until it answers. A tool only computes, so the product repeats the call of a killed
// process: the answer matches the input, whichever process died.
func callATool(ctx context.Context, p *person) error {
	const source = "export default { actions: { default: async (args: any) => ({ twice: args.n * 2, word: args.word }) } };\n"
	path, err := p.agent(ctx, uuid.NewString(), source)
	if err != nil {
		return err
	}
	for n := range 5 {
		word := uuid.New()
		p.run.about(word)
		var called struct {
			OK     bool `json:"ok"`
			Result struct {
				Twice int       `json:"twice"`
				Word  uuid.UUID `json:"word"`
			} `json:"result"`
			Error *struct{ Code, Message string } `json:"error"`
		}
		if err := p.ran(ctx, path+"/tools/word/call", object{"args": object{"n": n, "word": word}}, &called); err != nil {
			return err
		}
		if !called.OK || called.Result.Twice != 2*n || called.Result.Word != word {
			return fmt.Errorf("call of a tool: it was asked for %d and %s, and answered %+v", n, word, called)
		}
	}
	return nil
}

// ran retries a request that runs tools. There may be no worker, the quota may be exhausted, as all runs share one
// person, and a long call continues when it is requested again.
func (p *person) ran(ctx context.Context, path string, body, into any) error {
	for ctx.Err() == nil {
		a, err := p.attempt(ctx, p.anyAPI(), http.MethodPost, path, body, "")
		switch {
		case err != nil:
			// The requested process has died.
		case a.ok():
			p.run.saw(0)
			return a.into(into)
		case a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests ||
			a.status == http.StatusConflict && bytes.Contains(a.body, []byte("freeze_unfinished")):
			wait(ctx, time.Second)
		default:
			return fmt.Errorf("POST %s: status %d: %s", path, a.status, clip(a.body))
		}
		p.run.again()
		wait(ctx, retryPause)
	}
	return fmt.Errorf("POST %s: %w", path, context.Cause(ctx))
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
