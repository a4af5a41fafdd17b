package activities

import (
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

// withheld are the keys of the content that an attempt leaves out.
func (a *Turn) withheld(ctx context.Context, s *session, tried search) (map[string]bool, error) {
	stored, err := s.Memo.withheld.GetOrCompute(func() (map[string]bool, error) { return s.WithheldContent(ctx) })
	if err != nil || !tried.active {
		return stored, err
	}
	all := maps.Clone(stored)
	for _, key := range tried.Withheld() {
		all[key] = true
	}
	return all, nil
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
	return assistant.Suspects(s.HistoryWith(sc.note, ""), s.Messages(), withheld)
}

// loadSearch returns the search of an attempt, and sets what the attempt leaves out.
func (a *Turn) loadSearch(ctx context.Context, s *session, st *streamer, in workflows.CallModelInput) (search, error) {
	tried, err := searchOf(in)
	if err == nil {
		st.withheld, err = a.withheld(ctx, s, tried)
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
	next.Search, ok = assistant.NewSearch(a.suspects(s, sc, st.withheld), step == 1)
	return next, ok
}

// remember keeps what a search has found out of all later requests of the conversation to this connection, and tells the
// person.
func (a *Turn) remember(ctx context.Context, s *session, sc scope, st *streamer, found search) error {
	if !found.active {
		return nil
	}
	keys := found.Withheld()
	stored, _ := s.Memo.withheld.Get()
	var tools []string
	messages := 0
	for _, suspect := range a.suspects(s, sc, stored) {
		switch {
		case !slices.Contains(keys, suspect.Key):
		case suspect.Tool != "":
			tools = append(tools, a.toolName(sc, suspect.Tool))
		default:
			messages++
		}
	}
	if _, err := s.WithholdContent(ctx, keys); err != nil {
		return serverError("withhold content", err)
	}
	s.Memo.withheld.Update(func(known map[string]bool) map[string]bool {
		all := maps.Clone(known)
		if all == nil {
			all = map[string]bool{}
		}
		for _, key := range keys {
			all[key] = true
		}
		return all
	})
	a.Log.Info("Content withheld that the provider refuses", "turn", s.ID, "connection", s.ConnectionID, "parts", len(keys))
	st.lose(turn.ContentWithheld, assistant.DescribeWithheld(tools, messages))
	return nil
}
