package sample_test

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"countersign/automation/action"
	"countersign/event"
	"countersign/internal/process"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/tool"
)

// newHarbor makes the sample module. Its channels are buffered: no test has to read them.
func newHarbor() *harbor {
	return &harbor{
		heard: make(chan event.Event, 9), horns: make(chan string, 9), blown: make(chan string, 9),
		calls: prometheus.NewCounter(prometheus.CounterOpts{Name: "harbor_calls_total", Help: "Horns that ships have blown."}),
	}
}

// Loops listen for horns in the processes that serve people.
func (m *harbor) Loops() []process.Loop {
	return []process.Loop{{Name: "listen for horns", Role: process.API, Run: func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case horn := <-m.horns:
				m.calls.Inc()
				m.blown <- horn
			}
		}
	}}}
}

func (m *harbor) Subscriptions() store.Subscriptions {
	return store.Subscriptions{"harbor_horns": {Notify: func(horn string) { m.horns <- horn }}}
}

func (m *harbor) Collectors() []prometheus.Collector { return []prometheus.Collector{m.calls} }

// Sealed are the codes of berths.
func (m *harbor) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "codes of berths", Reseal: func(ctx context.Context) (int, error) {
		return secret.ResealEach(ctx, m.berthsAfter, m.resealBerth)
	}}}
}

func (m *harbor) berthsAfter(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
	list, err := m.list(ctx)
	var ids []uuid.UUID
	for _, b := range list.Berths {
		if after == uuid.Nil {
			ids = append(ids, b.ID)
		}
	}
	return ids, err
}

func (m *harbor) resealBerth(ctx context.Context, id uuid.UUID) (changed bool, err error) {
	var sealed []byte
	db := m.services.DB.Conn(ctx)
	if err := db.QueryRow(ctx, `SELECT code_sealed FROM harbor_berths WHERE id = $1`, id).Scan(&sealed); err != nil {
		return false, err
	}
	if sealed, changed, err = m.services.Sealer.Reseal(sealed, id[:]); err != nil || !changed {
		return false, err
	}
	_, err = db.Exec(ctx, `UPDATE harbor_berths SET code_sealed = $2 WHERE id = $1`, id, sealed)
	return err == nil, err
}

// Actions blow the horn, for automations.
func (m *harbor) Actions() []action.Action {
	return []action.Action{{
		ID: "harbor.blow_horn", Name: "Blow the horn", Description: "Blows the horn of the harbor.", Category: "Harbor",
		Config: json.RawMessage(`{"type":"object","properties":{"signal":{"type":"string"}},"required":["signal"],"additionalProperties":false}`),
		Rules:  []string{berthRead}, Effect: tool.Mutate,
		DryRun: func(context.Context, action.Call) (action.Preview, error) {
			return action.Preview{Summary: "Blow the horn"}, nil
		},
		Do: func(ctx context.Context, c action.Call) (action.Result, error) {
			var in struct{ Signal string }
			if err := json.Unmarshal(c.Config, &in); err != nil {
				return action.Result{}, err
			}
			_, err := m.services.DB.Conn(ctx).Exec(ctx, `SELECT pg_notify('harbor_horns', $1)`, in.Signal)
			return action.Result{Summary: "Blew the horn"}, err
		},
	}}
}
