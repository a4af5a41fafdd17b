package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/workflows"
)

// searchPause separates the tries of a search. A timer of the workflow makes each outcome durable.
const searchPause = 10 * time.Millisecond

// errProbeAccepted ends a try of a search whose answer would lack content that may be harmless.
var errProbeAccepted = errors.New("the provider accepts the request")

// search is the search of an attempt at a model call for content that the provider refuses.
type search struct {
	assistant.Search

	active bool
}

func searchOf(in workflows.CallModelInput) (s search, err error) {
	if in.Search == "" {
		return s, nil
	}
	s.active = true
	return s, json.Unmarshal([]byte(in.Search), &s.Search)
}

// isProbe reports whether the attempt only asks whether the provider accepts the request.
func (s search) isProbe() bool { return s.active && !s.Settles() }

// attempts is the number of attempts that the search has used up: the refused one and the tries.
func (s search) attempts() int {
	if !s.active {
		return 0
	}
	return s.Tries + 1
}

// retry is the workflow's next attempt.
func (s search) retry() (workflows.CallModelOutput, error) {
	state, err := json.Marshal(s.Search)
	if err != nil {
		return workflows.CallModelOutput{}, serverError("encode search", err)
	}
	return workflows.CallModelOutput{Retry: &workflows.Retry{After: searchPause, Search: string(state)}}, nil
}

// refuser is the model that may refuse content.
func (sc scope) refuser() turn.Refuser {
	return turn.Refuser{Model: sc.model, Revision: sc.connection.Revision, ProviderRevision: sc.connection.ProviderRevision}
}

// withheld are the keys of the content that an attempt leaves out.
func (a *Turn) withheld(ctx context.Context, s *session, sc scope, tried search) (map[string]bool, error) {
	stored, err := s.Memo.withheld.GetOrCompute(func() (turn.Withheld, error) {
		return s.WithheldContent(ctx, sc.refuser())
	})
	if err != nil || !tried.active {
		return stored.Refused, err
	}
	return withKeys(stored.Refused, tried.Withheld()), nil
}

func withKeys(known map[string]bool, keys []string) map[string]bool {
	all := make(map[string]bool, len(known)+len(keys))
	maps.Copy(all, known)
	for _, key := range keys {
		all[key] = true
	}
	return all
}

// contentSecret is the secret of the keys of a conversation's content: keys of two conversations cannot be compared.
func (a *Turn) contentSecret(s *session) []byte {
	return append(slices.Clone(a.ContentKey), s.ConversationID[:]...)
}

// refusesContent reports whether a provider may have refused a request for its content: a filter, or an unexplained
// refusal of a request of the form that it takes otherwise.
func refusesContent(failure *model.Error) bool {
	switch failure.Class {
	case model.ContentFilter:
		return true
	case model.Invalid:
		return failure.Reason == "" && (failure.Status == http.StatusBadRequest || failure.Status == http.StatusUnprocessableEntity)
	default:
		return false
	}
}

// suspects are the messages of the conversation that the provider may refuse.
func (a *Turn) suspects(s *session, sc scope, withheld map[string]bool) []assistant.Suspect {
	return assistant.Suspects(s.HistoryWith(sc.note, ""), s.Messages(), withheld, a.contentSecret(s))
}

// loadSearch returns the search of an attempt, and sets what the attempt leaves out.
func (a *Turn) loadSearch(ctx context.Context, s *session, sc scope, st *streamer, in workflows.CallModelInput) (search, error) {
	tried, err := searchOf(in)
	if err == nil {
		st.withheld, err = a.withheld(ctx, s, sc, tried)
	}
	if err != nil {
		return search{}, serverError("load withheld content", err)
	}
	return tried, nil
}

// searchOn continues or starts the search after an attempt that ended with err; ok is false when there is nothing to
// search.
func (a *Turn) searchOn(s *session, sc scope, st *streamer, step int, tried search, err error) (next search, ok bool) {
	accepted := errors.Is(err, errProbeAccepted)
	failure, failed := errors.AsType[*model.Error](err)
	if !accepted && (!failed || !refusesContent(failure)) {
		return next, false
	}
	next.active = true
	if tried.active {
		next.Search, ok = tried.Next(accepted)
		return next, ok
	}
	suspects, first := a.suspects(s, sc, st.withheld), 1
	// The new content of a first step is the person's message, which is no suspect. Content that this turn sends again comes
	// first, so that the search goes on where the one before has ended.
	stored, _ := s.Memo.withheld.Get()
	var due, others []assistant.Suspect
	for _, suspect := range suspects {
		if slices.Contains(stored.Due, suspect.Key) {
			due = append(due, suspect)
		} else {
			others = append(others, suspect)
		}
	}
	suspects = slices.Concat(due, others)
	if step == 1 {
		first = cmp.Or(len(due), len(suspects))
	}
	next.Search, ok = assistant.NewSearch(suspects, first)
	return next, ok
}

// remember keeps what a search has found out of later requests of the conversation to this model, and tells the person.
// Suspected content that this turn has sent again without a refusal is suspected no more.
func (a *Turn) remember(ctx context.Context, s *session, sc scope, st *streamer, found search) error {
	stored, _ := s.Memo.withheld.Get()
	if !found.active && len(stored.Due) == 0 {
		return nil
	}
	var keys, suspected []string
	if found.active {
		keys, suspected = found.Withheld(), found.Suspected()
	}
	var tools []string
	messages := 0
	for _, suspect := range a.suspects(s, sc, stored.Refused) {
		switch {
		case !suspect.IsWithheld(keys):
		case suspect.Tool != "":
			tools = append(tools, a.toolName(sc, suspect.Tool))
		default:
			messages++
		}
	}
	if err := s.WithholdContent(ctx, sc.refuser(), keys, suspected, stored.Due); err != nil {
		return serverError("withhold content", err)
	}
	s.Memo.withheld.Update(func(known turn.Withheld) turn.Withheld { return turn.Withheld{Refused: withKeys(known.Refused, keys)} })
	if len(keys) == 0 {
		return nil
	}
	a.Log.Info("Content withheld that the provider refuses", "turn", s.ID, "connection", s.ConnectionID, "parts", len(keys),
		"suspected", len(suspected))
	st.lose(turn.ContentWithheld, assistant.DescribeWithheld(tools, messages, len(suspected) > 0))
	return nil
}
