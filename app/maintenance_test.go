package app_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/healthcheck"
	"countersign/modules/maintenance"
)

// A maintenance is proposed in a chat and applied, begins and ends by itself, and its system shows it.
func TestAMaintenanceBeginsAndEndsByItself(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	shop := newSystem(t, p.Admin, "Shop")
	start := time.Now().Add(3 * time.Second).UTC().Truncate(time.Millisecond)
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `r1.tool=maintenance.impact r1.input=`+encode(t, map[string]any{
		"systemIds": []string{shop.String()}, "startAt": start, "endAt": start.Add(time.Hour),
	})+` r2.tool=maintenance.create r2.input=`+encode(t, map[string]any{
		"title": "New disks", "systemIds": []string{shop.String()}, "startAt": start.Format(time.RFC3339Nano),
		"endAt": start.Add(time.Hour).Format(time.RFC3339Nano), "suppressNotifications": true, "zone": "Europe/Berlin",
	})+` text=Done.`)
	card := turn.Card(t, "proposal")
	require.Contains(t, card.Summary, "Schedule the maintenance New disks of Shop from ")
	require.Contains(t, card.Summary, "(Europe/Berlin)")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM maintenances`), "nothing happens before a person has decided")
	reader := p.Person(t)
	window := reader.Changes(t, "")
	p.Admin.Apply(t, card.ProposalID)
	var listed struct{ Maintenances []maintenance.Listed }
	reader.Get(t, "/api/maintenances?state=open", &listed)
	require.Len(t, listed.Maintenances, 1)
	id := listed.Maintenances[0].ID.String()

	status := func() (s healthcheck.SystemStatus) {
		reader.Get(t, "/api/healthcheck/systems/"+shop.String(), &s)
		return s
	}
	apptest.Eventually(t, "it has begun", func() bool {
		return p.Count(t, `SELECT count(*) FROM maintenances WHERE status = 'in_progress'`) == 1
	})
	window.Hears(t, "record", `{"type":"maintenance.maintenance","id":"`+id+`"}`)
	require.Len(t, status().Planned, 1)
	require.Contains(t, status().Why, "The maintenance New disks is in progress until ")
	require.Equal(t, healthcheck.Unknown, status().Status, "its status is what is measured")
	late := p.Count(t, `SELECT ceil(extract(epoch FROM (payload ->> 'at')::timestamptz - $1))::integer
		FROM events WHERE type = 'maintenance.started'`, start)
	require.LessOrEqual(t, late, 2)

	proposal := p.Admin.Propose(t, "maintenance.close", map[string]any{"id": id, "message": "All disks are new."})
	p.Admin.Apply(t, proposal.ProposalID)
	var ended maintenance.Maintenance
	reader.Get(t, "/api/maintenances/"+id, &ended)
	require.Equal(t, maintenance.Completed, ended.Status)
	require.True(t, ended.Occurrence.EndedEarly)
	require.Empty(t, status().Planned)
	p.Person(t).Refused(t, "forbidden", http.MethodPost, "/api/maintenances/"+id+"/close", map[string]any{})
	p.AwaitWorkflow(t, "maintenance/"+id)
}

// While Temporal is away maintenances are scheduled, begin and end: the chore is the net.
func TestMaintenancesOutlastAnOutageOfTemporal(t *testing.T) {
	t.Parallel()
	address, cut := cuttable(t, os.Getenv(apptest.EnvTemporal))
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"TEMPORAL_ADDRESS": address}})
	shop := newSystem(t, p.Admin, "Shop")
	cut()
	start := time.Now().Add(time.Second).UTC()
	var one maintenance.Maintenance
	p.Admin.Post(t, "/api/maintenances", map[string]any{
		"title": "Move", "systemIds": []string{shop.String()}, "startAt": start, "endAt": start.Add(2 * time.Second),
	}, &one)
	apptest.Eventually(t, "it has begun and ended", func() bool {
		return p.Count(t, `SELECT count(*) FROM maintenances WHERE status = 'completed'`) == 1
	})
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM events WHERE type = 'maintenance.started'`))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM events WHERE type = 'maintenance.ended'`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM maintenances WHERE told > 0`), "no workflow could be told")
}

// cuttable forwards connections to a server until they are cut.
func cuttable(t *testing.T, backend string) (address string, cut func()) {
	t.Helper()
	if backend == "" {
		t.Skipf("%s is not set", apptest.EnvTemporal)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var open []net.Conn
	over := false
	cut = func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		_ = listener.Close()
		for _, c := range open {
			_ = c.Close()
		}
	}
	t.Cleanup(cut)
	forward := func(from net.Conn) {
		to, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp", backend)
		if err != nil {
			_ = from.Close()
			return
		}
		mu.Lock()
		open = append(open, from, to)
		if over {
			_, _ = from.Close(), to.Close()
		}
		mu.Unlock()
		go func() { _, _ = io.Copy(to, from) }()
		_, _ = io.Copy(from, to)
		_ = from.Close()
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(c)
		}
	}()
	return listener.Addr().String(), cut
}
