// Package proposal is the gate between a model that wants a change and the change.
//
// Create stores what a write tool's dry run has validated. It waits, for ten minutes by the database clock, for a
// person's decision. Begin is the decision to apply: one conditional update, so that exactly one caller wins, and from
// then on the change is on its way whatever process dies. Run carries it out as the person who decided, with the
// stored payload and nothing else; its write carries the proposal's id as idempotency key and the revision that the
// person saw, so it happens at most once and never over a concurrent change.
//
//	proposed --Begin--> applying --Run--> applied | failed
//	proposed --Decline--> declined
//	proposed --time--> expired
//
// The proposals of one turn, when two or more wait for a decision, are a plan: they can be decided together, are then
// carried out in the order of their calls, and stop at the first failure.
//
//	applying --an earlier one of its plan failed--> skipped
//
// The row is the truth. A workflow for each proposal (package workflows) drives it.
package proposal

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal/proposaldb"
)

// Status is the state of a proposal.
type Status string

// The states of a proposal; the last five are final. Skipped is a change whose plan stopped at an earlier failure.
const (
	Proposed Status = "proposed"
	Applying Status = "applying"
	Applied  Status = "applied"
	Failed   Status = "failed"
	Declined Status = "declined"
	Expired  Status = "expired"
	Skipped  Status = "skipped"
)

// Final reports whether the status cannot change any more.
func (s Status) Final() bool { return s != Proposed && s != Applying }

// A Who identifies a person or application on a card.
type Who struct {
	Kind principal.Kind `json:"kind" enum:"user,application,service"`
	ID   uuid.UUID      `json:"id"`
	Name string         `json:"name"`
}

// Failure describes why an apply failed. Diff is set for drift: the change that the proposal would make to the current
// state.
type Failure struct {
	Code    problem.Code    `json:"code"`
	Message string          `json:"message"`
	Issues  []problem.Issue `json:"issues,omitempty" nullable:"false"`
	Diff    []tool.Change   `json:"diff,omitempty" nullable:"false"`
}

// MaxOutside bounds the taint sources on a card.
const MaxOutside = 20

// Path returns the path of a proposal's card in the web app.
func Path(id uuid.UUID) string { return "/proposals?" + url.Values{"proposal": {id.String()}}.Encode() }

// Card is the view of a proposal. Token is set only while it is open, and only for a principal who may apply it.
type Card struct {
	ProposalID     uuid.UUID       `json:"proposalId"`
	ToolCallID     uuid.UUID       `json:"toolCallId"`
	ToolName       string          `json:"toolName"`
	Effect         tool.Effect     `json:"effect" enum:"mutate,destructive"`
	Summary        string          `json:"summary"`
	Payload        json.RawMessage `json:"payload"`
	Diff           []tool.Change   `json:"diff,omitempty" nullable:"false"`
	Status         Status          `json:"status" enum:"proposed,applying,applied,failed,declined,expired,skipped"`
	ExpiresAt      time.Time       `json:"expiresAt"`
	CreatedAt      time.Time       `json:"createdAt"`
	ConversationID *uuid.UUID      `json:"conversationId,omitempty"`
	TurnID         *uuid.UUID      `json:"turnId,omitempty"`
	WhyConfirm     string          `json:"whyConfirm,omitempty"`
	// WhyEffect explains an effect that is worse than the tool declares.
	WhyEffect string `json:"whyEffect,omitempty" doc:"What this change takes away, when its effect is worse than that of the tool"`
	// Outside is the outside content that the conversation held when this was proposed.
	Outside   []disposition.Taint `json:"outside,omitempty" nullable:"false" doc:"Content from outside that the conversation held when this was proposed, the latest first; at most 20"`
	Automatic bool                `json:"automatic,omitempty"`
	// PlanID is set when the turn has made several proposals; PlanPosition counts them from 1.
	PlanID       *uuid.UUID `json:"planId,omitempty"`
	PlanPosition int        `json:"planPosition,omitempty"`
	// Planned is set when the proposal was decided together with its plan.
	Planned bool `json:"planned,omitempty"`
	// TwoPerson is set when another person than the proposer has to apply it.
	TwoPerson bool `json:"twoPerson,omitempty"`
	// Blocked explains why the reader may not apply a visible open proposal.
	Blocked string `json:"blocked,omitempty"`
	// Effects are side effects of the change, one sentence each.
	Effects []string `json:"effects,omitempty" nullable:"false"`
	// Reason is the proposer's reason, DecisionReason the decider's; "" without one.
	Reason         string `json:"reason,omitempty"`
	DecisionReason string `json:"decisionReason,omitempty"`
	// Request is the message behind the proposal, for a second person and for the proposer, who sees what that person
	// sees.
	Request *Request `json:"request,omitempty" doc:"Of a proposal of a chat that needs a second person: what led to it. Not in lists"`
	// Labels are the names of ids in payload and diff.
	Labels    map[string]string `json:"labels,omitempty"`
	Proposer  Who               `json:"proposer"`
	DecidedBy *Who              `json:"decidedBy,omitempty"`
	DecidedAt *time.Time        `json:"decidedAt,omitempty"`
	Result    json.RawMessage   `json:"result,omitempty"`
	Error     *Failure          `json:"error,omitempty"`
	Token     string            `json:"token,omitempty"`
	// Again and Undo are set where the reader can make a new proposal of an ended one.
	Again *Next `json:"again,omitempty" doc:"Of a proposal of yours that failed, expired or was not reached: it can be proposed again. Not in lists"`
	Undo  *Next `json:"undo,omitempty" doc:"Of an applied change: a change that takes it back can be proposed. Not in lists"`

	// Way is the audit transport of the request; "" for proposals from before it was stored.
	Way string `json:"-"`
	// Program is the OAuth client of the request, nil where a person or an application made it directly.
	Program *string `json:"-"`

	// Run is the run that proposed it, nil elsewhere.
	Run *uuid.UUID `json:"-"`

	// issuer is the creator of the proposing application's token.
	issuer *uuid.UUID
	// author is the author of the definition whose run proposed it.
	author *uuid.UUID
	// unsignalled reports that the decision is stored, but no workflow has been signalled yet.
	unsignalled bool
	// withdrawn reports that the turn that made the proposal has declined it.
	withdrawn bool
}

// Withdrawn reports whether the turn that made the proposal has declined it because it was stopped: no follow-up turn
// acknowledges that.
func (c Card) Withdrawn() bool { return c.withdrawn }

// Driver runs the workflow of a proposal. Both calls may be repeated.
type Driver interface {
	// StartProposal starts the workflow that waits for the decision, for ttl at most.
	StartProposal(ctx context.Context, c Card, ttl time.Duration) error
	// Decided signals the workflow that the row has a decision, starting the workflow if needed.
	Decided(ctx context.Context, id uuid.UUID, ttl time.Duration) error
	// DecidedPlan runs the workflow of a decided plan, again if it had ended too soon.
	DecidedPlan(ctx context.Context, plan uuid.UUID) error
	// EnsurePlan is DecidedPlan without effect on a workflow that has completed.
	EnsurePlan(ctx context.Context, plan uuid.UUID) error
}

// Principals loads the current state of a principal: an error when the session or token has been revoked.
type Principals interface {
	Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error)
}

// Callers makes the client with which a tool acts as p.
type Callers interface {
	Caller(p principal.Principal, turn uuid.UUID) tool.Caller
}

// inPlan sets a card's place among the plan members of its turn.
func (c Card) inPlan(members, position int64) Card {
	if members > 1 && !c.Automatic {
		c.PlanID, c.PlanPosition = c.TurnID, int(position)
	}
	return c
}

func orNull(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("null")
	}
	return data
}

func cardOf(p proposaldb.AiProposal, expired bool) (Card, error) {
	c := Card{
		ProposalID:     p.ID,
		ToolCallID:     p.ID,
		ToolName:       p.ToolName,
		Effect:         tool.Effect(p.Effect),
		Summary:        p.Summary,
		Payload:        p.Payload,
		Status:         Status(p.Status),
		ExpiresAt:      p.ExpiresAt,
		CreatedAt:      p.CreatedAt,
		ConversationID: p.ConversationID,
		TurnID:         p.TurnID,
		Automatic:      p.Automatic,
		Proposer:       Who{Kind: principal.Kind(p.PrincipalKind), ID: p.PrincipalID, Name: p.PrincipalName},
		DecidedAt:      p.DecidedAt,
		Result:         p.Result,
		Planned:        p.Planned,
		TwoPerson:      p.TwoPerson,
		Effects:        p.Effects,
		Reason:         p.Reason,
		DecisionReason: p.DecisionReason,
		Way:            p.Transport,
		Program:        p.ProgramID,
		issuer:         p.IssuerID,
		author:         p.AuthorID,
		withdrawn:      p.Withdrawn,
		Run:            p.RunID,
	}
	if c.Status == Proposed && expired {
		c.Status = Expired
	}
	if p.WhyConfirm != nil {
		c.WhyConfirm = *p.WhyConfirm
	}
	if p.WhyEffect != nil {
		c.WhyEffect = *p.WhyEffect
	}
	if p.DecidedByID != nil {
		c.DecidedBy = &Who{Kind: principal.Kind(*p.DecidedByKind), ID: *p.DecidedByID, Name: *p.DecidedByName}
	}
	// A broken diff was altered in the database, which the seal shows: such a proposal is still listed and ended.
	_ = json.Unmarshal(orNull(p.Diff), &c.Diff)
	_ = json.Unmarshal(orNull(p.Labels), &c.Labels)
	_ = json.Unmarshal(orNull(p.Outside), &c.Outside)
	if len(p.Error) > 0 && json.Unmarshal(p.Error, &c.Error) != nil || c.Status == Failed && c.Error == nil {
		c.Error = &Failure{Code: problem.Internal, Message: "Why this has failed cannot be read."}
	}
	return c, nil
}
