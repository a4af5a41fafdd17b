package modelcheck

import (
	"time"

	"github.com/google/uuid"

	"countersign/modules/modelcheck/suite"
)

// Status is the state of a check.
type Status string

// A check is Interrupted when no process runs it and some cases have no outcome.
const (
	Running     Status = "running"
	Done        Status = "done"
	Stopped     Status = "stopped"
	Interrupted Status = "interrupted"
)

// NewCheck is the input of a new check.
type NewCheck struct {
	ConnectionID uuid.UUID `json:"connectionId"`
	Model        string    `json:"model,omitempty" maxLength:"200" doc:"A model of the connection; its default when left out"`
	Kinds        []string  `json:"kinds,omitempty" nullable:"false" maxItems:"15" enum:"tools,ask,docs,correct,plan,injection,card,structured,context,parallel,secrets,honesty,language,topic,title" doc:"The kinds of situations to play; all when left out"`
	Repeats      int       `json:"repeats,omitempty" minimum:"1" maximum:"5" doc:"How often each situation is played; once when left out"`
	Parallel     int       `json:"parallel,omitempty" minimum:"1" maximum:"16" doc:"How many are played side by side; 4 when left out"`
	Prices
}

// Prices are per million tokens, in any currency. Without both of them no cost is shown.
type Prices struct {
	InputPrice  *float64 `json:"inputPrice,omitempty" minimum:"0" maximum:"100000" doc:"What a million tokens of input cost"`
	OutputPrice *float64 `json:"outputPrice,omitempty" minimum:"0" maximum:"100000" doc:"What a million tokens of output cost"`
}

// cost is nil without prices.
func (p Prices) cost(input, output int64) *float64 {
	if p.InputPrice == nil || p.OutputPrice == nil {
		return nil
	}
	const million = 1_000_000
	return new((float64(input)**p.InputPrice + float64(output)**p.OutputPrice) / million)
}

// Check is a check of a model with its results so far.
type Check struct {
	ID             uuid.UUID  `json:"id"`
	ConnectionID   uuid.UUID  `json:"connectionId"`
	ConnectionName string     `json:"connectionName" doc:"What the connection was called"`
	Model          string     `json:"model"`
	Status         Status     `json:"status" enum:"running,done,stopped,interrupted"`
	Repeats        int        `json:"repeats"`
	Parallel       int        `json:"parallel"`
	StartedBy      *uuid.UUID `json:"startedBy,omitempty" doc:"Left out when a command on the server started it"`
	StartedByName  string     `json:"startedByName,omitempty"`
	CreatedAt      time.Time  `json:"createdAt"`
	EndedAt        *time.Time `json:"endedAt,omitempty"`
	Total          int        `json:"total" doc:"How many situations are to be played, repeats included"`
	Tally
	Prices
	Cost *float64 `json:"cost,omitempty" doc:"Left out without prices"`
}

// Tally counts situations by how they went.
type Tally struct {
	Played       int   `json:"played"`
	Passed       int   `json:"passed"`
	Failed       int   `json:"failed"`
	Errors       int   `json:"errors" doc:"Could not be played: the provider, the spend cap or the time was in the way"`
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}

// Rate is the share of the judged situations that were passed, from 0 to 1; 0 when none was judged.
func (t *Tally) Rate() float64 {
	if t.Passed+t.Failed == 0 {
		return 0
	}
	return float64(t.Passed) / float64(t.Passed+t.Failed)
}

// KindTally counts the situations of one kind.
type KindTally struct {
	Kind  string `json:"kind"`
	About string `json:"about"`
	Tally
	TookMs int64 `json:"tookMs" doc:"The time of all its situations together"`
}

// Outcome is the result of one situation.
type Outcome struct {
	Number       int           `json:"number"`
	Situation    string        `json:"situation"`
	Kind         string        `json:"kind"`
	About        string        `json:"about,omitempty" doc:"What a good model does"`
	Verdict      suite.Verdict `json:"verdict" enum:"passed,failed,error,skipped"`
	Reasons      []string      `json:"reasons" nullable:"false" doc:"What was expected and not done, or why it could not be played"`
	Shown        []suite.Line  `json:"shown" nullable:"false" doc:"What happened, shortened"`
	Steps        int           `json:"steps"`
	Calls        int           `json:"calls"`
	InputTokens  int64         `json:"inputTokens"`
	OutputTokens int64         `json:"outputTokens"`
	Estimated    bool          `json:"estimated" doc:"The provider did not report all of the tokens"`
	TookMs       int64         `json:"tookMs"`
}

// Report is a check with everything that was played.
type Report struct {
	Check
	Kinds    []KindTally `json:"kinds" nullable:"false"`
	Outcomes []Outcome   `json:"outcomes" nullable:"false"`
}

// tally sums outcomes up by kind, in the order of the suite.
func tally(outcomes []Outcome) (all Tally, kinds []KindTally) {
	byKind := map[string]*KindTally{}
	for _, o := range outcomes {
		k := byKind[o.Kind]
		if k == nil {
			k = &KindTally{Kind: o.Kind}
			byKind[o.Kind] = k
		}
		all.add(o)
		k.add(o)
		k.TookMs += o.TookMs
	}
	kinds = []KindTally{}
	for _, k := range suite.Load().Kinds {
		if found := byKind[k.Name]; found != nil {
			found.About = k.About
			kinds = append(kinds, *found)
		}
	}
	return all, kinds
}

func (t *Tally) add(o Outcome) {
	t.Played++
	switch o.Verdict {
	case suite.Passed:
		t.Passed++
	case suite.Failed:
		t.Failed++
	case suite.Failing:
		t.Errors++
	case suite.Skipped:
	}
	t.InputTokens += o.InputTokens
	t.OutputTokens += o.OutputTokens
}
