package healthcheck

import (
	"context"
	"sync"
	"time"

	"countersign/internal/calendar"
)

// previewedTimes is the number of due times that are shown ahead.
const previewedTimes = 5

// Schedule describes when the job of a heartbeat check is due.
type Schedule struct {
	Words    string      `json:"words" doc:"Such as: at 02:30 on weekdays, Europe/Berlin"`
	TimeZone string      `json:"timeZone"`
	Next     []time.Time `json:"next" nullable:"false" doc:"The next five due times."`
}

// schedule returns the schedule of a definition; nil for one without, or whose schedule cannot be read.
func (d Definition) schedule(clock func() (time.Time, error)) (*Schedule, error) {
	cron := cronOf(d)
	if cron == nil {
		return nil, nil
	}
	now, err := clock()
	if err != nil {
		return nil, err
	}
	return &Schedule{Words: cron.Words(), TimeZone: cron.Zone().String(), Next: calendar.Upcoming(cron, now, previewedTimes)}, nil
}

// clock reads the clock of the database once, when it is needed.
func (s *service) clock(ctx context.Context) func() (time.Time, error) {
	return sync.OnceValues(func() (time.Time, error) { return s.DB.Now(ctx) })
}

// cronOf parses the cron schedule of a heartbeat check; nil without a readable one.
func cronOf(d Definition) *calendar.Cron {
	if d.StrategyID != heartbeatStrategy {
		return nil
	}
	for _, c := range d.Collectors {
		text, _ := c.Config["cron"].(string)
		name, _ := c.Config["timeZone"].(string)
		if text == "" {
			continue
		}
		zone, err := calendar.Zone(name)
		if err != nil {
			return nil
		}
		if cron, err := calendar.ParseCron(text, zone); err == nil {
			return cron
		}
	}
	return nil
}
