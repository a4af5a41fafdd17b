package demo

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

const (
	usersPath     = "/api/users"
	schedulesPath = "/api/oncall/schedules"
	policiesPath  = "/api/oncall/policies"

	// onCallTeam is the team whose incidents call people.
	onCallTeam = "Shop team"
	// onCallDelay is how long after the person on call everybody is called, in seconds.
	onCallDelay = 600
)

// onCallPeople take turns. They have no password, so that nobody signs in as them.
func onCallPeople() [][2]string {
	return [][2]string{{"Ada Lindgren", "ada@shop.example.org"}, {"Ben Okoye", "ben@shop.example.org"}}
}

// onCall makes a schedule of two people who take turns by the week, and a policy that calls the one on call at once, and both
// and the team's room after ten minutes.
func (b *builder) onCall(ctx context.Context) error {
	var people []uuid.UUID
	for _, p := range onCallPeople() {
		id, err := b.person(ctx, p[0], p[1])
		if err != nil {
			return err
		}
		people = append(people, id)
	}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	today, team := b.now.In(zone), b.ids[teamsPath+" "+onCallTeam]
	schedule, _, err := b.record(ctx, schedulesPath, "Shop on call", map[string]any{
		"teamId": team, "zone": zone.String(), "layers": []map[string]any{{
			"start": today.AddDate(0, 0, -7).Format("2006-01-02") + "T09:00", "unit": "weeks", "length": 1, "people": people,
		}},
	})
	if err != nil {
		return err
	}
	all := []map[string]any{{"kind": "person", "id": people[0]}, {"kind": "person", "id": people[1]}, {"kind": "team", "id": team}}
	_, _, err = b.record(ctx, policiesPath, "Incidents of the shop", map[string]any{
		"teamId": team, "zone": zone.String(), "steps": []map[string]any{
			{"delaySeconds": 0, "targets": []map[string]any{{"kind": "schedule", "id": schedule}}},
			{"delaySeconds": onCallDelay, "targets": all},
		},
	})
	return err
}

// person makes an account unless one has the address.
func (b *builder) person(ctx context.Context, name, email string) (uuid.UUID, error) {
	var made struct {
		ID uuid.UUID `json:"id"`
	}
	_, err := b.Do(ctx, http.MethodPost, usersPath, map[string]any{"name": name, "email": email}, &made)
	if problem.CodeOf(err) != problem.Conflict {
		return made.ID, err
	}
	var found struct {
		Users []struct {
			ID uuid.UUID `json:"id"`
		} `json:"users"`
	}
	if _, lookErr := b.Get(ctx, usersPath+"?search="+url.QueryEscape(email), &found); lookErr != nil {
		return uuid.Nil, lookErr
	}
	if len(found.Users) == 0 {
		return uuid.Nil, err
	}
	return found.Users[0].ID, nil
}
