package notification_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/event"
	"countersign/internal/egress"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/notification"
	"countersign/modules/notification/channel/channeltest"
)

type object = map[string]any

// How long and how often tests look for what the sender does.
const (
	waitTime = 30 * time.Second
	pollTime = 20 * time.Millisecond
)

const (
	channels = "/api/notifications/channels"
	topic    = "thing.broken"
)

// app is the API with notifications about things, which a test sets.
type app struct {
	*apitest.Server
	module *notification.Module
	ledger *notice.Ledger
	keys   *secret.Keyset
	mails  *channeltest.MailServer
	hooks  *channeltest.Receiver

	mu sync.Mutex
	// facts are those of all things; hidden is who may not see them, by id.
	facts  notice.Facts
	hidden map[uuid.UUID]bool
	mutes  []notice.Mute
	// policies are their teams.
	policies map[uuid.UUID]*uuid.UUID
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{
		Server: apitest.New(t), mails: channeltest.NewMailServer(t), hooks: channeltest.NewReceiver(t), hidden: map[uuid.UUID]bool{},
		facts: notice.Facts{Title: "The thing is broken", Text: "A wheel came off.", Path: "/things/1", Severity: notice.Critical},
	}
	a.ledger = notice.NewLedger(a.DB)
	var err error
	a.keys, err = secret.New()
	require.NoError(t, err)
	a.module = a.newModule(t)
	a.Mount(t, a.module)
	a.Person("root", principal.Admin)
	for _, name := range []string{"ada", "bob"} {
		a.Person(name, notification.Own)
		a.account(t, name)
	}
	return a
}

// newModule makes a module as another process would.
func (a *app) newModule(t testing.TB) *notification.Module {
	t.Helper()
	return a.newModuleOf(t, accounts{a})
}

// newModuleOf makes a module with these people.
func (a *app) newModuleOf(t testing.TB, people notification.People) *notification.Module {
	t.Helper()
	policy, err := egress.ParsePolicy("127.0.0.0/8")
	require.NoError(t, err)
	guard := egress.New(egress.Options{Policy: policy})
	types, err := event.NewRegistry(new(notification.Module).EventTypes()...)
	require.NoError(t, err)
	return notification.New(notification.Options{
		DB:       a.DB,
		Log:      slog.New(slog.DiscardHandler),
		Ledger:   a.ledger,
		Events:   event.NewOutbox(a.DB, types),
		Sealer:   a.keys,
		People:   people,
		Systems:  a,
		Policies: a,
		Offers:   a,
		Client:   guard.Client(notification.SendTimeout),
		Dial:     guard.DialContext,
		URL:      "https://countersign.example.com",
	})
}

// account gives a principal of the test a row, as people have one.
func (a *app) account(t testing.TB, name string) {
	t.Helper()
	a.Exec(t, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, $3, '')`, a.Principal(name).ID, name+"@example.com", name)
}

// run sends what is due until the test ends, and wakes it as the listener of a process does.
func (a *app) run(t testing.TB, modules ...*notification.Module) {
	t.Helper()
	if len(modules) == 0 {
		modules = append(modules, a.module)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, m := range modules {
		listener := store.NewListener(a.DB, slog.New(slog.DiscardHandler))
		listener.Subscribe(m.Subscriptions())
		running.Go(func() { listener.Run(ctx) })
		<-listener.Ready()
		for _, loop := range m.Loops() {
			running.Go(func() { loop.Run(ctx) })
		}
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// accounts implements notification.People over the principals of the test.
type accounts struct{ *app }

// Readers implements notification.People.
func (a accounts) Readers(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]principal.Principal, error) {
	found := map[uuid.UUID]principal.Principal{}
	for _, name := range []string{"ada", "bob"} {
		if p := a.Principal(name); slices.Contains(ids, p.ID) {
			found[p.ID] = p
		}
	}
	return found, nil
}

// TeamNames implements notification.People: every id is a team.
func (accounts) TeamNames(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return map[uuid.UUID]string{ids[0]: "Team"}, nil
}

// set changes what is true of things.
func (a *app) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// The rule that opens things and incidents.
const readThings = "thing.read"

// Notices implements notification.Offers. Channels of teams see things with the rule that opens them and nothing else.
func (a *app) Notices() []notice.Subject {
	facts := func(ctx context.Context, _ notice.Notice) (notice.Facts, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		p := principal.FromContext(ctx)
		if a.hidden[p.ID] || p.Kind == principal.Service && !slices.Equal(p.Rules, []string{readThings}) {
			return notice.Facts{}, problem.Errorf(problem.NotFound, "There is no such thing.")
		}
		return a.facts, nil
	}
	own := slices.DeleteFunc(a.module.Notices(), func(s notice.Subject) bool { return s.Kind != notification.AboutUserMessage })
	return append(own, []notice.Subject{
		{
			Kind: "thing", Topics: []notice.Topic{{ID: topic, Label: "Broken things", Description: "A thing is broken."}},
			Rules: []string{readThings, "thing.manage"}, Facts: facts,
		},
		{Kind: notification.AboutSystem, Rules: []string{readThings}, Facts: facts},
		{Kind: notification.AboutIncident, Rules: []string{readThings}, Facts: facts},
	}...)
}

// Muted implements notice.Mutes.
func (a *app) Muted(context.Context, []uuid.UUID) ([]notice.Mute, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mutes, nil
}

// See implements notification.Systems: every system is visible.
func (*app) See(context.Context, string, uuid.UUID) error { return nil }

// Name implements notification.Systems.
func (*app) Name(context.Context, string, uuid.UUID) (string, error) { return "Shop", nil }

// GroupsOf implements notification.Systems.
func (*app) GroupsOf(context.Context, []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	return nil, nil
}

// Seers implements notification.Systems: systems are hidden as things are.
func (a *app) Seers(_ context.Context, _ string, _, people []uuid.UUID) ([]uuid.UUID, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(people), func(id uuid.UUID) bool { return a.hidden[id] }), nil
}

// PolicyTeam implements notification.Policies.
func (a *app) PolicyTeam(_ context.Context, id uuid.UUID) (*uuid.UUID, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	team, ok := a.policies[id]
	if !ok {
		return nil, problem.Errorf(problem.NotFound, "There is no such policy.")
	}
	return team, nil
}

func (a *app) mailServer(t testing.TB) {
	t.Helper()
	a.Do(t, "root", http.MethodPut, "/api/notifications/settings/mail", object{
		"host": a.mails.Host, "port": a.mails.Port, "security": "none", "from": "countersign@example.com",
	})
}

// hook makes a channel of somebody that posts to a path of the receiver, and switches their e-mail off.
func (a *app) hook(t testing.TB, as, path string, more ...object) notification.CreatedChannel {
	t.Helper()
	body := object{"kind": "webhook", "name": "Hook", "url": a.hooks.URL + path}
	for _, m := range more {
		maps.Copy(body, m)
	}
	made := apitest.Decode[notification.CreatedChannel](t, a.Do(t, as, http.MethodPost, channels, body))
	own := apitest.Decode[struct{ Channels []notification.Channel }](t, a.Do(t, as, http.MethodGet, channels, nil))
	require.True(t, own.Channels[0].Account)
	a.Do(t, as, http.MethodPatch, channels+"/"+own.Channels[0].ID.String(), object{"enabled": false})
	return made
}

// problem is a notice that a thing is broken.
func brokenThing(id uuid.UUID) notice.Notice {
	return notice.Notice{About: notice.About{Kind: "thing", ID: id}, Topic: topic, Edge: "broken", Phase: notice.Problem}
}

func overOf(n notice.Notice) notice.Notice {
	n.Phase, n.Edge = notice.Recovery, "whole"
	return n
}

func (a *app) tell(t testing.TB, n notice.Notice, to ...notice.Recipient) notice.Told {
	t.Helper()
	var told notice.Told
	require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) (err error) {
		told, err = a.ledger.Tell(ctx, n, to...)
		return err
	}))
	return told
}

// delivered waits until the only delivery of a notice has ended.
func (a *app) delivered(t testing.TB, id uuid.UUID) notification.Delivery {
	t.Helper()
	return a.reaches(t, id, func(d notification.Delivery) bool { return d.State != notice.Waiting })
}

// reaches waits until the only delivery of a notice is as wanted.
func (a *app) reaches(t testing.TB, id uuid.UUID, wanted func(notification.Delivery) bool) notification.Delivery {
	t.Helper()
	var found notification.Delivery
	require.Eventually(t, func() bool {
		list := apitest.Decode[struct{ Deliveries []notification.Delivery }](
			t, a.Do(t, "root", http.MethodGet, "/api/notifications/deliveries?all=true", nil)).Deliveries
		for _, d := range list {
			if d.NotificationID == id {
				found = d
				return wanted(d)
			}
		}
		return false
	}, waitTime, pollTime)
	return found
}

func decodeBody(t testing.TB, p channeltest.Post) object {
	t.Helper()
	var body object
	require.NoError(t, json.Unmarshal(p.Body, &body))
	return body
}
