package connection

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool/spend"
)

// Spend is the usage of a principal against a spend cap.
type Spend struct {
	Used int64 `json:"used" doc:"Tokens within the window"`
	Cap  int64 `json:"cap"`
	// FreesAt is set once the cap is reached.
	FreesAt *time.Time `json:"freesAt,omitempty" doc:"Set once the cap is reached: when there is room again"`
}

// ownSpend returns the caller's usage of a connection's cap, nil without a cap.
func (m *Module) ownSpend(ctx context.Context, c Connection) (*Spend, error) {
	state, err := m.ledger.State(ctx, principal.FromContext(ctx), c.ID, c.Cap())
	if err != nil || state.Cap == 0 {
		return nil, err
	}
	return &Spend{Used: state.Used, Cap: state.Cap, FreesAt: state.FreesAt}, nil
}

// PrincipalSpend is the usage of one principal on a connection.
type PrincipalSpend struct {
	ConnectionID  uuid.UUID `json:"connectionId"`
	PrincipalKind string    `json:"principalKind" enum:"user,application,service"`
	PrincipalID   uuid.UUID `json:"principalId"`
	PrincipalName string    `json:"principalName,omitempty" doc:"Left out when the principal is gone"`
	Unattended    bool      `json:"unattended" doc:"Calls that nobody waited for, shown apart when they have a cap of their own"`
	Tokens        int64     `json:"tokens" doc:"Used within the window"`
	Reserved      int64     `json:"reserved" doc:"The part of the tokens that is an estimate of calls without a known end"`
	Cached        int64     `json:"cached,omitempty" doc:"The part of the tokens that the provider had in its cache, as far as it says so"`
	Calls         int       `json:"calls"`
	WindowMinutes int       `json:"windowMinutes" doc:"That of the cap; a day when there is none"`
	Cap           int64     `json:"cap,omitempty" doc:"Left out when these calls have no cap"`
}

const dayMinutes = 24 * 60

type spendList struct {
	Spend []PrincipalSpend `json:"spend" nullable:"false"`
	rest.Next
}

// spendCursor is the cursor of a page of spend.
type spendCursor struct {
	Connection uuid.UUID `json:"c"`
	Unattended bool      `json:"u"`
	Tokens     int64     `json:"t"`
	Principal  uuid.UUID `json:"p"`
}

// cursorOf never fails: rows hold no number that JSON cannot encode.
func cursorOf(s PrincipalSpend) string {
	raw, _ := json.Marshal(spendCursor{s.ConnectionID, s.Unattended, s.Tokens, s.PrincipalID})
	return string(raw)
}

func (m *Module) listSpend(ctx context.Context, page *rest.Page) (*rest.Body[spendList], error) {
	connections, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	kinds, at, err := spendKinds(connections, *page)
	if err != nil {
		return nil, err
	}
	found := []PrincipalSpend{}
	for _, kind := range kinds {
		used, err := m.spendOfKind(ctx, kind, at, page.Rows()-int32(len(found)))
		if err != nil {
			return nil, err
		}
		at, found = nil, append(found, used...)
		if len(found) == int(page.Rows()) {
			break
		}
	}
	found, next := rest.Cut(*page, found, cursorOf)
	return rest.With(spendList{found, next}, m.nameSpenders(ctx, found))
}

// spendKind is the set of calls on a connection that one cap counts.
type spendKind struct {
	Connection
	unattended bool
}

// spendKinds lists the kinds of a page in order, and the cursor of the first. With a cap for background calls, each
// kind uses the window of its own cap.
func spendKinds(connections []Connection, page rest.Page) (kinds []spendKind, at *spend.Sum, err error) {
	for _, c := range connections {
		kinds = append(kinds, spendKind{c, false})
		if c.UnattendedSpendCap != nil {
			kinds = append(kinds, spendKind{c, true})
		}
	}
	after, err := page.After()
	if err != nil || after == "" {
		return kinds, nil, err
	}
	var place spendCursor
	if err := json.Unmarshal([]byte(after), &place); err != nil {
		return nil, nil, problem.UnknownCursor()
	}
	i := slices.IndexFunc(kinds, func(k spendKind) bool { return k.ID == place.Connection && k.unattended == place.Unattended })
	if i < 0 {
		return nil, nil, problem.UnknownCursor()
	}
	return kinds[i:], &spend.Sum{Tokens: place.Tokens, PrincipalID: place.Principal}, nil
}

func (m *Module) spendOfKind(ctx context.Context, kind spendKind, after *spend.Sum, most int32) ([]PrincipalSpend, error) {
	limit, counts := kind.Cap().For(kind.unattended)
	window := limit.Window
	if limit.IsZero() {
		window = dayMinutes * time.Minute
	}
	sums, err := m.ledger.Sums(ctx, kind.ID, window, counts, after, most)
	if err != nil {
		return nil, err
	}
	all := make([]PrincipalSpend, len(sums))
	for i, sum := range sums {
		all[i] = PrincipalSpend{
			ConnectionID:  kind.ID,
			PrincipalKind: string(sum.PrincipalKind),
			PrincipalID:   sum.PrincipalID,
			Unattended:    kind.unattended,
			Tokens:        sum.Tokens,
			Reserved:      sum.Reserved,
			Cached:        sum.Cached,
			Calls:         sum.Calls,
			WindowMinutes: int(window / time.Minute),
			Cap:           limit.Tokens,
		}
	}
	return all, nil
}

func (m *Module) nameSpenders(ctx context.Context, used []PrincipalSpend) error {
	if m.names == nil || len(used) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(used))
	for i, u := range used {
		ids[i] = u.PrincipalID
	}
	names, err := m.names.Names(ctx, ids)
	if err != nil {
		return fmt.Errorf("find names of principals: %w", err)
	}
	for i, u := range used {
		used[i].PrincipalName = names[u.PrincipalID]
	}
	return nil
}
