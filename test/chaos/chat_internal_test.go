package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func newTalk() *talk { return &talk{person: &person{run: &run{}}} }

// hear reads server-sent events as if they came from a stream.
func (t *talk) hear(events string) error {
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	return t.read(strings.NewReader(events), quiet)
}

const begin = `data: {"type":"start","messageId":"m","messageMetadata":{"turnId":"0199d1a0-0000-7000-8000-000000000001"}}` + "\n\n"

func TestAStreamIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	talk := newTalk()
	require.NoError(
		t,
		talk.hear(
			begin+": ping\n\nid: 4294967297\ndata: {\"type\":\"start-step\"}\n\nid: 4294967298\ndata: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n",
		),
	)
	require.Equal(t, uuid.MustParse("0199d1a0-0000-7000-8000-000000000001"), talk.turn)
	require.Len(t, talk.chunks, 3)
	require.Equal(t, "4294967298", talk.lastID)
	require.Equal(t, int64(1), talk.person.run.progress[0].claim, "the high half of an event's id is the claim of its process")
	require.True(t, talk.person.run.concerns(talk.turn))
}

func TestAStreamThatBreaksIsContinued(t *testing.T) {
	t.Parallel()
	talk := newTalk()
	require.ErrorIs(t, talk.hear(begin+"id: 4294967297\ndata: {\"type\":\"start-step\"}\n\nid: 42949"), io.ErrUnexpectedEOF)
	require.Equal(t, "4294967297", talk.lastID)
	require.NoError(t, talk.hear("id: 8589934593\ndata: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n"))
	require.Len(t, talk.chunks, 3)
}

func TestAStreamWithoutItsStartIsRefused(t *testing.T) {
	t.Parallel()
	var refused *refusal
	require.ErrorAs(t, newTalk().hear("id: 1\ndata: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n"), &refused)
}
