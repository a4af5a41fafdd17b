package inspector

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/internal/rest"
	"countersign/modules/inspector/inspectordb"
)

// Person is the principal of a turn.
type Person struct {
	Kind string    `json:"kind" enum:"user,application,service"`
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name,omitempty" doc:"Left out when they are gone"`
}

// Turn is a line of the list of turns.
type Turn struct {
	ID             uuid.UUID  `json:"id"`
	Kind           string     `json:"kind" enum:"message,decision" doc:"What it answers: a message, or a decision about a proposal"`
	Status         string     `json:"status" enum:"pending,running,done,failed,stopped"`
	Person         Person     `json:"person"`
	ConnectionID   uuid.UUID  `json:"connectionId"`
	ConnectionName string     `json:"connectionName,omitempty" doc:"Left out when the connection is gone"`
	Model          string     `json:"model"`
	ErrorCode      string     `json:"errorCode,omitempty"`
	CreatedAt      time.Time  `json:"createdAt"`
	FinishedAt     *time.Time `json:"finishedAt,omitempty"`
	TookMS         int64      `json:"tookMs" doc:"From the message to the end of the answer; up to now while it runs"`
	InputTokens    int64      `json:"inputTokens" doc:"Of the calls whose answers are part of the turn, once it has ended"`
	OutputTokens   int64      `json:"outputTokens"`
	Verdict        string     `json:"verdict,omitempty" enum:"up,down" doc:"Whether the answer helped, as the person said; left out when they said nothing"`
	Commented      bool       `json:"commented,omitempty" doc:"They also said why"`
}

// place returns the cursor behind the turn.
func (t Turn) place() string { return rest.Moment{At: t.CreatedAt, ID: t.ID}.String() }

func turnOf(r inspectordb.TurnsRow) Turn {
	return Turn{
		ID: r.ID, Kind: r.Kind, Status: r.Status, Person: Person{Kind: r.PrincipalKind, ID: r.PrincipalID}, ConnectionID: r.ConnectionID,
		ConnectionName: r.ConnectionName, Model: r.Model, ErrorCode: r.ErrorCode, CreatedAt: r.CreatedAt, FinishedAt: r.FinishedAt,
		TookMS: milliseconds(r.CreatedAt, ended(r.FinishedAt, r.Now)), InputTokens: int64(r.InputTokens), OutputTokens: int64(r.OutputTokens),
		Verdict: r.Verdict, Commented: r.Commented,
	}
}

// Report is the full report of a turn.
type Report struct {
	Turn

	Readable       bool       `json:"readable" doc:"Whether you may read the conversation. Otherwise texts, arguments and names that users have made up are left out."`
	ConversationID *uuid.UUID `json:"conversationId,omitempty" doc:"Left out for those who may not read it"`
	PermissionMode string     `json:"permissionMode" enum:"approve,auto"`
	Error          string     `json:"error,omitempty" doc:"What the person was told of a failure; left out for those who may not read it"`
	Comment        string     `json:"comment,omitempty" doc:"What the person said about the answer, for those who look after the assistant"`
	SaidAt         *time.Time `json:"saidAt,omitempty" doc:"When they said it"`
	StopAskedAt    *time.Time `json:"stopAskedAt,omitempty" doc:"When the person stopped it"`
	Takeovers      int        `json:"takeovers" doc:"How often another process went on with it"`
	Tokens         int64      `json:"tokens" doc:"What all of its model calls count against spend caps, also those that failed, titles and checks"`
	CostMicros     *int64     `json:"costMicros,omitempty" doc:"What they cost, in millionths, as far as the connection had prices and the provider has told the tokens"`
	Retries        int        `json:"retries" doc:"Calls that were made again because something failed"`
	WorkflowID     string     `json:"workflowId" doc:"Of its workflow in Temporal"`
	Entries        []Entry    `json:"entries" nullable:"false" doc:"What was done, in the order in which it began"`
}

// The kinds of entries.
const (
	ModelEntry = "model"
	ToolEntry  = "tool"
	WaitEntry  = "wait"
	TopicEntry = "topic"
	TitleEntry = "title"
	SumUpEntry = "summary"
)

// Entry is one action of a turn.
type Entry struct {
	Kind string `json:"kind" enum:"model,tool,wait,topic,title,summary" doc:"A call of the model for a step, a tool call, a wait before a call is made again; a check of the topic, a title, a summary"`
	Step int    `json:"step" doc:"0 for what belongs to no step"`
	// Number counts the attempts of model calls, and the tool calls of a step, from 1.
	Number  int    `json:"number" doc:"Which attempt of the step's model call, or which tool call of the step, from 1"`
	StartMS int64  `json:"startMs" doc:"Since the message"`
	TookMS  *int64 `json:"tookMs,omitempty" doc:"Left out when nobody knows: its process ended, or it is older than these times are kept"`
	FirstMS *int64 `json:"firstMs,omitempty" doc:"Until the first piece of the model's answer"`
	Status  string `json:"status" enum:"running,done,lost,executed,failed,refused,proposed,applying,applied,declined,expired,skipped" doc:"lost: its process ended before it did. From proposed on: what became of the proposal."`
	Failure string `json:"failure,omitempty" doc:"The sort of failure"`

	Tool      string `json:"tool,omitempty" doc:"Left out for those who may not read the conversation, unless it is one of the product's own"`
	Effect    string `json:"effect,omitempty"`
	Attempts  int    `json:"attempts,omitempty" doc:"How often a tool call was made because the server failed; left out for once"`
	Arguments string `json:"arguments,omitempty" doc:"As JSON, without credentials, for those who may read the conversation, as long as it is kept"`
	// Cut reports that the arguments are longer.
	Cut bool `json:"cut,omitempty" doc:"The arguments are longer than what is shown"`

	Model        string `json:"model,omitempty"`
	InputTokens  *int64 `json:"inputTokens,omitempty" doc:"As the provider has told"`
	OutputTokens *int64 `json:"outputTokens,omitempty"`
	CachedTokens *int64 `json:"cachedTokens,omitempty"`
	Tokens       int64  `json:"tokens" doc:"What the call counts against spend caps; an estimate where the provider has told nothing"`
	CostMicros   *int64 `json:"costMicros,omitempty"`
}

func reportOf(r inspectordb.TurnRow, readable bool) Report {
	report := Report{
		Turn: Turn{
			ID: r.ID, Kind: r.Kind, Status: r.Status, Person: Person{Kind: r.PrincipalKind, ID: r.PrincipalID}, ConnectionID: r.ConnectionID,
			ConnectionName: r.ConnectionName, Model: r.Model, CreatedAt: r.CreatedAt, FinishedAt: r.FinishedAt,
			TookMS: milliseconds(r.CreatedAt, ended(r.FinishedAt, r.Now)), InputTokens: int64(r.InputTokens), OutputTokens: int64(r.OutputTokens),
			Verdict: r.Verdict, Commented: r.Comment != "",
		},
		Comment: r.Comment, SaidAt: r.SaidAt,
		Readable: readable, PermissionMode: r.PermissionMode, StopAskedAt: r.StopRequestedAt, Takeovers: max(int(r.Claim)-1, 0),
		WorkflowID: "turn/" + r.ID.String(), Entries: []Entry{},
	}
	if r.ErrorCode != nil {
		report.ErrorCode = *r.ErrorCode
	}
	if readable {
		report.ConversationID = &r.ConversationID
		if r.ErrorMessage != nil {
			report.Error = *r.ErrorMessage
		}
	}
	return report
}

// withoutWords removes the names of tools that are not the product's own: users choose them, and models invent some.
func (r *Report) withoutWords(known func(string) bool) {
	for i := range r.Entries {
		if !known(r.Entries[i].Tool) {
			r.Entries[i].Tool = ""
		}
	}
}

// argumentBytes limits the shown arguments of one call.
const argumentBytes = 8_000

func (e *Entry) show(arguments json.RawMessage) {
	shown := string(arguments)
	if len(shown) > argumentBytes {
		shown, e.Cut = validPrefix(shown, argumentBytes), true
	}
	e.Arguments = shown
}

// validPrefix cuts a text to a number of bytes at a character boundary.
func validPrefix(s string, n int) string {
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

func ended(at *time.Time, now time.Time) time.Time {
	if at != nil {
		return *at
	}
	return now
}

// milliseconds returns milliseconds, at least 0.
func milliseconds(from, to time.Time) int64 { return max(to.Sub(from).Milliseconds(), 0) }
