package app_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

func one(id uuid.UUID) string { return `{"id":"` + id.String() + `"}` }

// Two windows of one person on one chat, at two processes: what is sent in one is heard in the other, and by nobody else.
func TestATurnIsHeardInAllWindowsOfItsPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	other := apptest.Start(t, apptest.Options{Beside: p})
	ada, bob := p.Person(t), p.Person(t)
	windows := []apptest.Changes{ada.Changes(t, ""), ada.At(other).Changes(t, "")}
	stranger, admin := bob.Changes(t, ""), p.Admin.Changes(t, "")
	chat := ada.Conversation(t, nil)
	for _, w := range windows {
		w.Hears(t, "conversation", one(chat.ID))
	}
	stream := chat.Send(t, apptest.Scripted(endless))
	stream.UntilType(t, "text-delta")
	for _, w := range windows {
		w.Hears(t, "conversation", one(chat.ID))
	}
	chat.Stop(t)
	stream.Drain(t)
	for _, w := range windows {
		w.Hears(t, "conversation", one(chat.ID))
	}
	for who, s := range map[*apptest.Client]apptest.Changes{bob: stranger, p.Admin: admin} {
		own := who.Conversation(t, nil)
		s.Hears(t, "conversation", one(own.ID))
		require.NotContains(t, s.Said(), "conversation "+one(chat.ID))
	}
}

// A decision by another, at another process, is heard by who has proposed and by who may decide.
func TestADecisionByAnotherIsHeard(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	other := apptest.Start(t, apptest.Options{Beside: p})
	systems := p.Role(t, "catalog.system.manage")
	ada, second := p.Person(t, systems), p.Person(t, systems, p.Role(t, "ai.proposal.manage"))
	outsider := p.Person(t, p.Role(t, "ai.proposal.manage"))
	var system struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments API"}, &system)
	adas, seconds, outsiders := ada.Changes(t, ""), second.At(other).Changes(t, ""), outsider.Changes(t, "")

	card := ada.Propose(t, "catalog.updateSystem", map[string]any{"id": system.ID, "description": "New"})
	adas.Hears(t, "proposal", one(card.ProposalID))
	seconds.Hears(t, "proposal", one(card.ProposalID))
	second.At(other).Post(t, "/api/ai/proposals/"+card.ProposalID.String()+"/decline", map[string]any{}, nil)
	adas.Hears(t, "proposal", one(card.ProposalID))
	seconds.Hears(t, "proposal", one(card.ProposalID))

	outsider.Conversation(t, nil)
	outsiders.Until(t, func(e apptest.Event) bool { return e.Name == "conversation" })
	for _, said := range outsiders.Said() {
		require.NotContains(t, said, card.ProposalID.String(), "who cannot use the tool does not see its proposals")
	}
}

func TestAStreamOfChangesGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	other := apptest.Start(t, apptest.Options{Beside: p})
	ada := p.Person(t)
	first := ada.Changes(t, "")
	require.Equal(t, []string{"reset {}"}, first.Said(), "who names no moment reads everything")
	chat := ada.Conversation(t, nil)
	last := first.Hears(t, "conversation", one(chat.ID)).ID
	first.Close()
	missed := ada.Conversation(t, nil)
	again := ada.At(other).Changes(t, last)
	require.Contains(t, again.Said(), "conversation "+one(missed.ID), "before the first ping")
	require.NotContains(t, again.Said(), "reset {}")

	query := apptest.Changes{Stream: ada.Stream(t, http.MethodGet, "/api/events?after="+last+"&person="+ada.ID.String(), nil)}
	query.Hears(t, "conversation", one(missed.ID))
	for name, id := range map[string]string{
		"too old": "1", "from the future": strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10), "nonsense": "nonsense", "negative": "-5",
		"no time": "9223372036854775807",
	} {
		require.Equal(t, []string{"reset {}"}, ada.Changes(t, id).Said(), name)
	}
}

func TestAStreamOfChangesEndsWithItsSession(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "50ms", "COUNTERSIGN_MAX_OPEN_STREAMS": "2"}})
	ada := p.Person(t)
	here := ada.SignInAgain(t, p)
	there, stays := ada.Changes(t, ""), here.Changes(t, "")
	require.Contains(t, here.Refused(t, problem.Throttled, http.MethodGet, "/api/events", nil).Detail, "2 streams of changes open already")
	require.Equal(t, http.StatusNoContent, ada.Call(t, http.MethodPost, "/api/auth/logout", nil).Status)
	require.True(t, there.BreaksOff(t))
	stays.Until(t, func(e apptest.Event) bool { return e.Name == "ping" })
	p.Admin.Patch(t, "/api/users/"+ada.ID.String(), map[string]any{"disabled": true}, nil)
	require.True(t, stays.BreaksOff(t))
	apptest.Eventually(t, "the places are given back", func() bool { return p.Count(t, "SELECT count(*) FROM held_places") == 0 })
}

func TestAStreamOfChangesEndsBeforeItsProcess(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := p.Admin.Changes(t, "")
	ended := make(chan error, 1)
	go func() { ended <- p.End() }()
	require.True(t, s.BreaksOff(t))
	require.NoError(t, <-ended)
}

// A turn makes no statement more for those who listen, and its events are two rows and that of the title.
func TestATurnLeavesFewEvents(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Person(t).Conversation(t, nil)
	chat.Perform(t, "text=hi")
	before := p.Count(t, "SELECT count(*) FROM feed_events")
	chat.Perform(t, "text=hi")
	require.Equal(t, 2, p.Count(t, "SELECT count(*) FROM feed_events")-before)
}
