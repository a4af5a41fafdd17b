package demo

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

const maintenancesPath = "/api/maintenances"

// demoMaintenance is planned work of the company. It begins so many days after the first start, at an hour in Berlin.
type demoMaintenance struct {
	title, description, rule string
	systems                  []string
	days, hour               int
	length                   time.Duration
	suppresses               bool
}

func demoMaintenances() []demoMaintenance {
	return []demoMaintenance{
		{
			title: "Nightly stock count", description: "The warehouse counts; stock levels stand still meanwhile.",
			rule: "FREQ=WEEKLY;BYDAY=MO,WE,FR", systems: []string{"Inventory"}, days: 1, hour: 3, length: time.Hour, suppresses: true,
		},
		{
			title: "Upgrade of the payment database", description: "Orders wait for up to ten minutes while the servers change.",
			systems: []string{"Payments", "Checkout"}, days: 3, hour: 4, length: 2 * time.Hour, suppresses: true,
		},
		{
			title: "New label printers", description: "Stations 3 and 4 get their new printers.",
			systems: []string{"Label Printer Gateway"}, days: 6, hour: 9, length: 90 * time.Minute,
		},
	}
}

// maintenances schedules the company's maintenances. A second start finds them by their titles.
func (b *builder) maintenances(ctx context.Context) error {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	for _, one := range demoMaintenances() {
		var found struct {
			Maintenances []struct{ Title string } `json:"maintenances"`
		}
		if _, err := b.Get(ctx, maintenancesPath+"?query="+url.QueryEscape(one.title), &found); err != nil {
			return err
		}
		if len(found.Maintenances) > 0 && strings.EqualFold(found.Maintenances[0].Title, one.title) {
			continue
		}
		var ids []uuid.UUID
		for _, name := range one.systems {
			ids = append(ids, b.ids[systemsPath+" "+name])
		}
		today := b.now.In(zone)
		begin := time.Date(today.Year(), today.Month(), today.Day()+one.days, one.hour, 0, 0, 0, zone)
		_, err := b.Do(ctx, http.MethodPost, maintenancesPath, map[string]any{
			"title": one.title, "description": one.description, "systemIds": ids, "startAt": begin, "endAt": begin.Add(one.length),
			"zone": zone.String(), "rule": one.rule, "suppressNotifications": one.suppresses,
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}
