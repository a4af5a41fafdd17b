package oncall

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/oncall/oncalldb"
)

const (
	escalationsPath = "/api/oncall/escalations"
	explainPath     = "/api/oncall/explain"
)

// Call is a step that was taken.
type Call struct {
	Step       int       `json:"step" doc:"Counted from 1."`
	Round      int       `json:"round" doc:"How often the steps were begun."`
	PolicyName string    `json:"policyName"`
	DueAt      time.Time `json:"dueAt"`
	TakenAt    time.Time `json:"takenAt"`
	People     []Named   `json:"people" nullable:"false"`
	Messages   int       `json:"messages"`
	Unreached  int       `json:"unreached" doc:"Targets without a channel, with nobody on call, or all of them where none may see the incident."`
	Hidden     bool      `json:"hidden,omitempty" doc:"None of those whom the step names may see the incident: it reached nobody, and the next step followed at once."`
}

// Escalation is what becomes of an incident until a person takes it on.
type Escalation struct {
	IncidentID uuid.UUID  `json:"incidentId"`
	State      string     `json:"state" enum:"none,waiting,acknowledged,resolved,exhausted,gone"`
	Reason     string     `json:"reason,omitempty" doc:"What it waits for beside its time, or why it ended."`
	Policy     *Named     `json:"policy,omitempty"`
	Step       int        `json:"step,omitempty" doc:"The step that comes next, counted from 1."`
	Round      int        `json:"round,omitempty"`
	DueAt      *time.Time `json:"dueAt,omitempty" doc:"When the next step is due."`
	Calls      []Call     `json:"calls" nullable:"false" doc:"The steps that were taken, the last one first."`
}

// Escalation returns that of an incident which the caller may see.
func (s *service) Escalation(ctx context.Context, incident uuid.UUID) (Escalation, error) {
	if err := readable(ctx); err != nil {
		return Escalation{}, err
	}
	if _, err := s.incidents.See(ctx, incident); err != nil {
		return Escalation{}, err
	}
	row, err := s.queries(ctx).EscalationOf(ctx, incident)
	if store.NoRows(err) {
		return Escalation{IncidentID: incident, State: "none", Calls: []Call{}}, nil
	}
	if err != nil {
		return Escalation{}, fmt.Errorf("load escalation: %w", err)
	}
	calls, err := s.queries(ctx).Calls(ctx, incident)
	if err != nil {
		return Escalation{}, fmt.Errorf("list calls: %w", err)
	}
	return s.showEscalation(ctx, row, calls)
}

func (s *service) showEscalation(ctx context.Context, row oncalldb.OncallEscalation, calls []oncalldb.OncallCall) (Escalation, error) {
	var people []uuid.UUID
	for _, c := range calls {
		people = append(people, c.People...)
	}
	n, err := s.lookUp(ctx, people, nil)
	if err != nil {
		return Escalation{}, err
	}
	out := Escalation{IncidentID: row.IncidentID, State: row.State, Reason: row.Reason, DueAt: row.DueAt, Calls: make([]Call, len(calls))}
	if row.State == stateWaiting && row.PolicyID != nil {
		out.Step, out.Round = int(row.Step)+1, int(row.Round)+1
	}
	if row.PolicyID != nil {
		policy, err := s.queries(ctx).Policy(ctx, *row.PolicyID)
		if err != nil && !store.NoRows(err) {
			return Escalation{}, fmt.Errorf("load policy: %w", err)
		}
		out.Policy = &Named{*row.PolicyID, policy.Name}
	}
	for i, c := range calls {
		out.Calls[i] = Call{
			Step: int(c.Step) + 1, Round: int(c.Round) + 1, PolicyName: c.PolicyName, DueAt: c.DueAt, TakenAt: c.TakenAt,
			People: n.persons(c.People), Messages: int(c.Messages), Unreached: int(c.Unreached), Hidden: c.IsHidden,
		}
	}
	return out, nil
}

// Taken is a step that was taken, with its place among others of the same time, and the edge of its notice.
type Taken struct {
	Call
	Number int64
	Edge   string
}

// CallsBefore lists steps that were taken about an incident before a moment, newest first; none when the principal of the
// context may not see who is on call. The caller has checked that the principal sees the incident.
func (m *Module) CallsBefore(ctx context.Context, incident uuid.UUID, before time.Time, number int64, limit int) ([]Taken, error) {
	if err := readable(ctx); problem.Is(err, problem.Forbidden) {
		return nil, nil
	}
	s := m.service
	rows, err := s.queries(ctx).CallsBefore(ctx, oncalldb.CallsBeforeParams{
		IncidentID: incident, BeforeAt: before, BeforeNumber: number, MaxRows: int32(limit),
	})
	if err != nil {
		return nil, fmt.Errorf("list calls before a moment: %w", err)
	}
	var people []uuid.UUID
	for _, r := range rows {
		people = append(people, r.People...)
	}
	n, err := s.lookUp(ctx, people, nil)
	if err != nil {
		return nil, err
	}
	list := make([]Taken, len(rows))
	for i, r := range rows {
		list[i] = Taken{
			Call: Call{
				Step: int(r.Step) + 1, Round: int(r.Round) + 1, PolicyName: r.PolicyName, DueAt: r.DueAt, TakenAt: r.TakenAt,
				People: n.persons(r.People), Messages: int(r.Messages), Unreached: int(r.Unreached), Hidden: r.IsHidden,
			},
			Number: r.Number, Edge: edgeOf(r.Run, r.Round, r.Step),
		}
	}
	return list, nil
}

// edgeOf is the edge of the notice of a step, counted from 0.
func edgeOf(run, round, step int32) string { return fmt.Sprintf("call:%d:%d:%d", run, round, step) }

type simulationQuery struct {
	IncidentID string    `query:"incidentId" format:"uuid" doc:"An incident; without it, one that opens on systems."`
	SystemIDs  []string  `query:"systemIds,explode" maxItems:"20" doc:"Systems of an incident that opens."`
	Severity   string    `query:"severity" enum:"minor,major,critical" doc:"Of an incident that opens; major when absent."`
	PersonID   string    `query:"personId" format:"uuid" doc:"Only this person."`
	At         time.Time `query:"at" doc:"When it opens, at most 10 years away; now when absent."`
}

func (m *Module) escalationRoutes(api huma.API) {
	huma.Register(api, rest.Op("get-escalation", http.MethodGet, escalationsPath+"/{id}", "Read the escalation of an incident",
		rest.Doc("Who was called about it and what comes next. Needs "+Read+", and to see the incident.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Escalation], error) {
			return rest.With(m.service.Escalation(ctx, in.ID))
		})
	huma.Register(api, rest.Op("explain-escalation", http.MethodGet, explainPath, "Explain who is called",
		rest.Doc("A simulated run: who is called when about an incident, or would be if one opened, and why a person is not. "+
			"Needs "+Read+", and to see the incident or the systems.")), m.explain)
}

func (m *Module) explain(ctx context.Context, in *simulationQuery) (*rest.Body[Explanation], error) {
	q := Question{Severity: in.Severity, At: in.At}
	var err error
	if q.IncidentID, err = rest.OptionalID("incidentId", in.IncidentID); err != nil {
		return nil, err
	}
	if q.PersonID, err = rest.OptionalID("personId", in.PersonID); err != nil {
		return nil, err
	}
	for i, text := range in.SystemIDs {
		id, err := rest.OptionalID(fmt.Sprintf("systemIds[%d]", i), text)
		if err != nil {
			return nil, err
		}
		if id != nil {
			q.SystemIDs = append(q.SystemIDs, *id)
		}
	}
	if (q.IncidentID == nil) == (len(q.SystemIDs) == 0) {
		return nil, problem.InvalidInput("Name an incident, or the systems of one that opens.",
			problem.Issue{Path: "incidentId", Message: "must be given without systemIds, or they without it"})
	}
	return rest.With(m.service.Explain(ctx, q))
}
