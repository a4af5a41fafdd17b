package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/app/demo/demodb"
	"countersign/internal/store"
)

// Room is a channel of one of the company's teams. The company's servers take its messages.
type Room struct {
	Team      uuid.UUID
	Name, URL string
}

const roomsPath = "/rooms/"

// rooms gives every team a channel.
func (b *builder) rooms(ctx context.Context) error {
	for _, t := range teams() {
		room := Room{
			Team: b.ids[teamsPath+" "+t.name], Name: roomOf(t),
			URL: "http://" + b.address + roomsPath + strings.ToLower(t.group),
		}
		if err := b.room(ctx, room); err != nil {
			return err
		}
	}
	return nil
}

func roomOf(t team) string { return "Room of the " + t.name }

// message is one that a room has got about an incident.
type message struct {
	topic, edge, phase string
	at                 time.Duration
}

// messages are those about an incident: that it began, its public updates, and its end.
func (one demoIncident) messages() []message {
	list := []message{{"incident.opened", "demo:opened", "problem", 0}}
	for i, u := range one.updates {
		if u.visibility != "public" || one.length > 0 && u.after >= one.length {
			continue
		}
		list = append(list, message{"incident.updated", fmt.Sprintf("demo:update:%d", i), "update", u.after})
	}
	if one.length > 0 {
		list = append(list, message{"incident.opened", "demo:resolved", "recovery", one.length})
	}
	return list
}

// Told gives the rooms the messages about the company's past incidents: their import notifies nobody. A second call changes
// nothing.
func Told(ctx context.Context, db *store.DB) error {
	owners := map[string]team{}
	for _, s := range systems() {
		owners[s.name] = teamOf(s)
	}
	err := db.InTx(ctx, func(ctx context.Context) error {
		q := demodb.New(db.Conn(ctx))
		for _, one := range demoIncidents() {
			for i, m := range one.messages() {
				if err := q.Tell(ctx, demodb.TellParams{
					DedupeKey: one.key, Room: roomOf(owners[one.systems[0]]), Topic: m.topic, Edge: m.edge, Phase: m.phase,
					AfterSeconds: int32(m.at / time.Second), IsRetried: i == 0,
				}); err != nil {
					return fmt.Errorf("tell a room of an incident: %w", err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("tell rooms of past incidents: %w", err)
	}
	return nil
}
