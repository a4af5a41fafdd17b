package connection

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
)

// Spend is how much somebody has used of a spend cap.
type Spend struct {
	Used int64 `json:"used" doc:"Tokens within the window"`
	Cap  int64 `json:"cap"`
	// FreesAt is set once the cap is reached.
	FreesAt *time.Time `json:"freesAt,omitempty" doc:"Set once the cap is reached: when there is room again"`
}

// ownSpend is what the caller has used of a connection's cap, nil when there is none.
func (m *Module) ownSpend(ctx context.Context, c Connection) (*Spend, error) {
	state, err := m.ledger.State(ctx, principal.FromContext(ctx), c.ID, c.Cap())
	if err != nil || state.Cap == 0 {
		return nil, err
	}
	return &Spend{Used: state.Used, Cap: state.Cap, FreesAt: state.FreesAt}, nil
}

// PrincipalSpend is what one principal has used of a connection.
type PrincipalSpend struct {
	ConnectionID  uuid.UUID `json:"connectionId"`
	PrincipalKind string    `json:"principalKind" enum:"user,application,service"`
	PrincipalID   uuid.UUID `json:"principalId"`
	PrincipalName string    `json:"principalName,omitempty" doc:"Left out when the principal is gone"`
	Unattended    bool      `json:"unattended" doc:"Calls that nobody waited for, shown apart when they have a cap of their own"`
	Tokens        int64     `json:"tokens" doc:"Used within the window"`
	Reserved      int64     `json:"reserved" doc:"The part of the tokens that is an estimate of calls without a known end"`
	Calls         int       `json:"calls"`
	WindowMinutes int       `json:"windowMinutes" doc:"That of the cap; a day when there is none"`
	Cap           int64     `json:"cap,omitempty" doc:"Left out when these calls have no cap"`
}

const dayMinutes = 24 * 60

type spendList struct {
	Body struct {
		Spend []PrincipalSpend `json:"spend" nullable:"false"`
	}
}

func (m *Module) listSpend(ctx context.Context, _ *struct{}) (*spendList, error) {
	connections, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &spendList{}
	out.Body.Spend = []PrincipalSpend{}
	for _, c := range connections {
		used, err := m.spendOf(ctx, c)
		if err != nil {
			return nil, err
		}
		out.Body.Spend = append(out.Body.Spend, used...)
	}
	return out, m.nameSpenders(ctx, out.Body.Spend)
}

// spendOf lists a connection's use. A connection with a cap for unattended calls shows each kind in the window of its
// own cap.
func (m *Module) spendOf(ctx context.Context, c Connection) ([]PrincipalSpend, error) {
	all, err := m.spendOfKind(ctx, c, false)
	if err != nil || c.UnattendedSpendCap == nil {
		return all, err
	}
	alone, err := m.spendOfKind(ctx, c, true)
	return append(all, alone...), err
}

func (m *Module) spendOfKind(ctx context.Context, c Connection, unattended bool) ([]PrincipalSpend, error) {
	limit, counts := c.Cap().For(unattended)
	window := limit.Window
	if limit.IsZero() {
		window = dayMinutes * time.Minute
	}
	sums, err := m.ledger.Sums(ctx, c.ID, window, counts)
	if err != nil {
		return nil, err
	}
	all := make([]PrincipalSpend, len(sums))
	for i, sum := range sums {
		all[i] = PrincipalSpend{
			ConnectionID: c.ID, PrincipalKind: string(sum.PrincipalKind), PrincipalID: sum.PrincipalID, Unattended: unattended,
			Tokens: sum.Tokens, Reserved: sum.Reserved, Calls: sum.Calls, WindowMinutes: int(window / time.Minute), Cap: limit.Tokens,
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
