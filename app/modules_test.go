package app_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store/chore"
	"countersign/tool"
	"countersign/tool/kit"
)

const tideRead = "tide.level.read"

// tide is a module as small as it can be that offers everything a module can offer.
type tide struct {
	once    sync.Once
	ran     chan struct{}
	refusal atomic.Pointer[error]
	removed atomic.Pointer[uuid.UUID]
	kinds   sync.Map // deleted records: id to kind
}

type level struct {
	Metres int `json:"metres"`
}

func (*tide) Rules() []principal.Rule {
	return []principal.Rule{{ID: tideRead, Description: "See how high the water is", Default: true}}
}

func (*tide) Routes(api huma.API) {
	huma.Register(api, rest.Op("get-level", http.MethodGet, "/api/tide", "Get the level", rest.Rules(tideRead)),
		func(context.Context, *struct{}) (*struct{ Body level }, error) {
			return &struct{ Body level }{level{3}}, nil
		})
}

func (*tide) Tools() []tool.Tool {
	d := tool.Definition{Name: "tide.getLevel", Description: "How high the water is.", Effect: tool.Read, Rules: []string{tideRead}}
	return []tool.Tool{kit.NewRead(d, func(ctx context.Context, c tool.Caller, _ struct{}) (out level, err error) {
		_, err = c.Client.Get(ctx, "/api/tide", &out)
		return out, err
	})}
}

func (m *tide) Chores() []chore.Chore {
	return []chore.Chore{{Name: "watch the tide", Every: time.Hour, Do: func(context.Context) error {
		m.once.Do(func() { close(m.ran) })
		return nil
	}}}
}

func (*tide) Name() string                                          { return "drownings" }
func (*tide) Count(context.Context, uuid.UUID) (int64, error)       { return 4, nil }
func (*tide) Erase(ctx context.Context, _ uuid.UUID) (int64, error) { return 0, ctx.Err() }

func (m *tide) OnRemoved(_ context.Context, kind string, id uuid.UUID) error {
	if kind != "catalog.system" {
		m.kinds.Store(id.String(), kind)
		return nil
	}
	if refusal := m.refusal.Load(); refusal != nil {
		return *refusal
	}
	m.removed.Store(&id)
	return nil
}

// A module is a folder and a line in the list of package app: what it offers is there, in one process as in another.
func TestAModuleIsOneLineInTheList(t *testing.T) {
	t.Parallel()
	m := &tide{ran: make(chan struct{})}
	p := apptest.Start(t, apptest.Options{Modules: []any{m}})
	person := p.Person(t)

	var declared struct {
		Rules []auth.Rule `json:"rules"`
	}
	p.Admin.Get(t, "/api/access-rules", &declared)
	require.Contains(t, declared.Rules, m.Rules()[0])
	var got level
	person.Get(t, "/api/tide", &got)
	require.Equal(t, 3, got.Metres)
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, "/api/tide", nil)
	turn := person.Conversation(t, nil).Perform(t, `tool=tide.getLevel text=Done.`)
	require.Contains(t, encode(t, turn.ToolCalls()), `"metres":3`)
	<-m.ran
	var kept conversation.Content
	p.Admin.Get(t, "/api/ai/privacy/people/"+person.ID.String(), &kept)
	require.Equal(t, int64(4), kept.Other["drownings"])
}

// What others keep about a system goes with it, all of it or nothing.
func TestASystemIsRemovedEverywhereOrNowhere(t *testing.T) {
	t.Parallel()
	m := &tide{ran: make(chan struct{})}
	p := apptest.Start(t, apptest.Options{Modules: []any{m}})
	system := newSystem(t, p.Admin, "Payments API")
	path := "/api/catalog/systems/" + system.String()
	p.Admin.Post(
		t,
		"/api/ai/memories",
		map[string]any{"scope": "system", "systemId": system, "recallHint": "Deploys", "content": "Tuesdays"},
		nil,
	)
	grants := "/api/grants/catalog.system/" + system.String()
	closed := p.Admin.Call(t, http.MethodPut, grants, map[string]any{"private": true, "grants": []any{
		map[string]any{"subjectType": "user", "subjectId": p.Admin.ID, "relation": "owner"},
	}})
	require.Equal(t, http.StatusOK, closed.Status, string(closed.Body))
	require.Len(t, remembered(t, p.Admin), 1)

	for _, refusal := range []error{problem.Errorf(problem.Conflict, "The water is too high."), errors.New("the sea is away")} {
		m.refusal.Store(&refusal)
		answer := p.Admin.Call(t, http.MethodDelete, path, nil)
		require.GreaterOrEqual(t, answer.Status, http.StatusConflict, string(answer.Body))
		require.Nil(t, m.removed.Load())
		p.Admin.Get(t, path, nil)
		require.Len(t, remembered(t, p.Admin), 1, "nothing is lost: %v", refusal)
		var access auth.Access
		p.Admin.Get(t, grants, &access)
		require.True(t, access.Private)
	}

	m.refusal.Store(nil)
	p.Admin.Delete(t, path)
	require.Equal(t, system, *m.removed.Load())
	require.Empty(t, remembered(t, p.Admin))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM relation_tuples WHERE object_id = $1`, system))
}

func TestEveryDeletedRecordIsToldToModules(t *testing.T) {
	t.Parallel()
	m := &tide{ran: make(chan struct{})}
	p := apptest.Start(t, apptest.Options{Modules: []any{m}})
	for path, kind := range map[string]string{
		"/api/teams":                "auth.team",
		"/api/roles":                "auth.role",
		"/api/catalog/groups":       "catalog.group",
		"/api/catalog/environments": "catalog.environment",
	} {
		var made struct {
			ID string `json:"id"`
		}
		in := map[string]any{"name": "Gone"}
		if kind == "auth.role" {
			in["rules"] = []string{}
		}
		p.Admin.Post(t, path, in, &made)
		p.Admin.Delete(t, path+"/"+made.ID)
		told, _ := m.kinds.Load(made.ID)
		require.Equal(t, kind, told, path)
	}
	for kind, path := range map[string]string{
		"auth.user":        "/api/users/" + p.Person(t).ID.String(),
		"auth.application": "/api/applications/" + p.Application(t).ID.String(),
	} {
		p.Admin.Delete(t, path)
		told, _ := m.kinds.Load(path[strings.LastIndex(path, "/")+1:])
		require.Equal(t, kind, told, path)
	}
}
