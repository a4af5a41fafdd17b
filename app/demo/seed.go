package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/app/demo/demodb"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
)

// Records creates the company's records as the caller: teams, groups, environments, systems, checks, incidents, maintenances,
// who is on call, and the rooms of teams. Records that exist by name stay unchanged, so a second start, or a start after a
// crash, creates only the missing ones. address is the servers' host:port, and now the time of the database. room makes a
// channel unless its team has one of its name: the API takes channels from people alone.
func Records(
	ctx context.Context, c *tool.Client, address string, now time.Time, room func(ctx context.Context, r Room) error,
) error {
	b := builder{Client: c, address: address, now: now, room: room, ids: map[string]uuid.UUID{}}
	for _, step := range []func(context.Context) error{
		b.teams, b.systems, b.groups, b.environments, b.checks, b.incidents, b.maintenances, b.onCall, b.rooms,
	} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("make the demo company: %w", err)
		}
	}
	return nil
}

// Disown removes the applications that the product created for an operation from the authors of their records. They are
// deleted by then, so their text would count as that of an author without rights.
func Disown(ctx context.Context, db *store.DB, operation string) error {
	if err := demodb.New(db.Conn(ctx)).DisownRecords(ctx, operation); err != nil {
		return fmt.Errorf("disown the records of the demo company: %w", err)
	}
	return nil
}

type builder struct {
	*tool.Client
	address string
	now     time.Time
	room    func(ctx context.Context, r Room) error
	// ids are the ids of records by path and name.
	ids map[string]uuid.UUID
}

// record creates a record unless one with the name exists. made is false then.
func (b *builder) record(ctx context.Context, path, name string, body map[string]any) (id uuid.UUID, made bool, err error) {
	var out struct {
		ID uuid.UUID `json:"id"`
	}
	body["name"] = name
	_, err = b.Do(ctx, http.MethodPost, path, body, &out)
	if problem.CodeOf(err) == problem.Conflict {
		out.ID, err = b.find(ctx, path, name)
	} else {
		made = err == nil
	}
	b.ids[path+" "+name] = out.ID
	return out.ID, made, err
}

func (b *builder) find(ctx context.Context, path, name string) (uuid.UUID, error) {
	var out map[string]any
	if _, err := b.Get(ctx, path+"?name="+url.QueryEscape(name), &out); err != nil {
		return uuid.Nil, err
	}
	for _, member := range out {
		list, _ := member.([]any)
		for _, one := range list {
			record, _ := one.(map[string]any)
			if called, _ := record["name"].(string); strings.EqualFold(called, name) {
				text, _ := record["id"].(string)
				return uuid.Parse(text)
			}
		}
	}
	return uuid.Nil, fmt.Errorf("%s has no %q", path, name)
}

const (
	teamsPath        = "/api/teams"
	systemsPath      = "/api/catalog/systems"
	groupsPath       = "/api/catalog/groups"
	environmentsPath = "/api/catalog/environments"
	checksPath       = "/api/healthcheck/checks"
)

func (b *builder) teams(ctx context.Context) error {
	for _, t := range teams() {
		if _, _, err := b.record(ctx, teamsPath, t.name, map[string]any{}); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) systems(ctx context.Context) error {
	for _, s := range systems() {
		t := teamOf(s)
		id, made, err := b.record(ctx, systemsPath, s.name, map[string]any{
			"description": s.description, "tags": s.tags, "metadata": map[string]any{"path": s.path}, "ownerTeamId": b.ids[teamsPath+" "+t.name],
		})
		if err != nil {
			return err
		}
		if made {
			err = b.reach(ctx, id, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reach adds a team's contact data to a system.
func (b *builder) reach(ctx context.Context, system uuid.UUID, t team) error {
	for _, contact := range []map[string]any{
		{"type": "phone", "label": "On call", "address": t.phone},
		{"type": "chat", "label": "Questions", "address": t.chat},
	} {
		if _, err := b.Do(ctx, http.MethodPost, systemsPath+"/"+system.String()+"/contacts", contact, nil); err != nil {
			return err
		}
	}
	_, err := b.Do(ctx, http.MethodPost, systemsPath+"/"+system.String()+"/links", map[string]any{"label": "Runbook", "url": t.runbooks}, nil)
	return err
}

func (b *builder) groups(ctx context.Context) error {
	for _, s := range systems() {
		if _, known := b.ids[groupsPath+" "+s.group]; known {
			continue
		}
		id, made, err := b.record(ctx, groupsPath, s.group, map[string]any{})
		if err != nil {
			return err
		}
		for _, member := range systems() {
			if !made || member.group != s.group {
				continue
			}
			if _, err := b.Do(
				ctx,
				http.MethodPut,
				groupsPath+"/"+id.String()+"/systems/"+b.ids[systemsPath+" "+member.name].String(),
				nil,
				nil,
			); err != nil {
				return err
			}
		}
	}
	return nil
}
