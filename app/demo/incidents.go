package demo

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// demoIncident is an incident of the company's recent past, in times before the first start. A zero length means that it is open.
type demoIncident struct {
	key, title, description, severity string
	systems                           []string
	// ago is when it began, and length how long it lasted.
	ago, length time.Duration
	updates     []demoUpdate
}

// demoUpdate was written so long after the start.
type demoUpdate struct {
	after                       time.Duration
	message, status, visibility string
}

func demoIncidents() []demoIncident {
	const day = 24 * time.Hour
	return []demoIncident{
		{
			key: "demo payments timeouts", title: "Card payments time out", severity: "critical",
			description: "Some customers see an error in the last step of an order.",
			systems:     []string{"Payments", "Checkout"}, ago: 9*day + 3*time.Hour, length: 94 * time.Minute,
			updates: []demoUpdate{
				{4 * time.Minute, "We see timeouts of one card processor and are looking at it.", "investigating", "public"},
				{21 * time.Minute, "Our connection pool is exhausted: the processor answers after 30 seconds.", "identified", "internal"},
				{38 * time.Minute, "Payments go through the second processor until the first one is well again.", "fixing", "public"},
				{60 * time.Minute, "Payments succeed. We keep watching.", "monitoring", "public"},
				{94 * time.Minute, "The processor has fixed a fault on its side. Orders that failed were not charged.", "resolved", "public"},
			},
		},
		{
			key: "demo tracking delays", title: "Parcel tracking is two hours behind", severity: "minor",
			description: "The carrier's feed is late.",
			systems:     []string{"Carrier Tracking"}, ago: 5*day + 7*time.Hour, length: 3*time.Hour + 10*time.Minute,
			updates: []demoUpdate{
				{15 * time.Minute, "The feed of the carrier is late. We have asked them why.", "investigating", "public"},
				{190 * time.Minute, "The feed has caught up.", "resolved", "public"},
			},
		},
		{
			key: "demo labels offline", title: "No parcel labels at two packing stations", severity: "major",
			description: "The printers do not answer the gateway.",
			systems:     []string{"Label Printer Gateway"}, ago: 2*day + 5*time.Hour, length: 47 * time.Minute,
			updates: []demoUpdate{
				{6 * time.Minute, "Stations 3 and 4 print nothing. The others do.", "investigating", "public"},
				{30 * time.Minute, "A switch was replaced and has the wrong network.", "identified", "internal"},
				{47 * time.Minute, "All stations print again.", "resolved", "public"},
			},
		},
		{
			key: "demo image errors", title: "Some product pictures do not load", severity: "minor",
			description: "About one picture in fifty is missing in the shop.",
			systems:     []string{"Product Images"}, ago: 80 * time.Minute,
			updates: []demoUpdate{
				{10 * time.Minute, "Large pictures of new products fail to load. We look at the resizer.", "investigating", "public"},
				{50 * time.Minute, "The disk of one resizer is full. We are making room.", "identified", "public"},
			},
		},
	}
}

const importPath = "/api/incidents/import"

// incidents imports the company's incidents. A second start finds them by their keys.
func (b *builder) incidents(ctx context.Context) error {
	now := b.now.UTC().Truncate(time.Minute)
	var list []map[string]any
	for _, one := range demoIncidents() {
		began := now.Add(-one.ago)
		systems, updates, status := []uuid.UUID{}, []map[string]any{}, ""
		for _, name := range one.systems {
			systems = append(systems, b.ids[systemsPath+" "+name])
		}
		for _, u := range one.updates {
			updates = append(updates, map[string]any{
				"at": began.Add(u.after), "message": u.message, "statusChange": u.status, "visibility": u.visibility,
			})
			status = u.status
		}
		incident := map[string]any{
			"dedupeKey": one.key, "title": one.title, "description": one.description, "severity": one.severity, "systemIds": systems,
			"startedAt": began, "updates": updates,
		}
		if one.length > 0 {
			incident["resolvedAt"] = began.Add(one.length)
		} else {
			incident["status"], incident["suppressNotifications"] = status, true
		}
		list = append(list, incident)
	}
	_, err := b.Do(ctx, http.MethodPost, importPath, map[string]any{"incidents": list}, nil)
	return err
}
