package automation

import (
	"encoding/json"
	"fmt"
	"time"

	"countersign/automation/action"
	"countersign/automation/definition"
	"countersign/internal/calendar"
)

// Payloads of the built-in triggers, as trigger.payload.
type (
	// slotPayload is that of schedules.
	slotPayload struct {
		Slot time.Time `json:"slot" jsonschema:"description=The moment of the schedule that the run is for"`
	}
)

// builtIn are the triggers that are no events of the platform.
func builtIn() map[string]definition.Event {
	open := json.RawMessage(`{"type":"object"}`)
	closed := json.RawMessage(`{"type":"object","additionalProperties":false}`)
	return map[string]definition.Event{
		definition.TriggerCron:     {Schema: action.Config[slotPayload](), Config: action.Config[definition.CronConfig]()},
		definition.TriggerInterval: {Schema: action.Config[slotPayload](), Config: action.Config[definition.IntervalConfig]()},
		definition.TriggerManual:   {Schema: open, Config: closed},
	}
}

// scheduleOf returns when a cron or interval trigger is due, and a text that is the same while that is; nil for other triggers.
func scheduleOf(t definition.Trigger) (due calendar.Schedule, spec string, err error) {
	switch t.Event {
	case definition.TriggerCron:
		var c definition.CronConfig
		if err := json.Unmarshal(t.Config, &c); err != nil {
			return nil, "", fmt.Errorf("read config of trigger %s: %w", t.ID, err)
		}
		zone, err := calendar.Zone(c.Timezone)
		if err != nil {
			return nil, "", fmt.Errorf("zone of trigger %s: %w", t.ID, err)
		}
		cron, err := calendar.ParseCron(c.CronPattern, zone)
		if err != nil {
			return nil, "", fmt.Errorf("pattern of trigger %s: %w", t.ID, err)
		}
		return cron, "cron " + c.CronPattern + " " + c.Timezone, nil
	case definition.TriggerInterval:
		var c definition.IntervalConfig
		if err := json.Unmarshal(t.Config, &c); err != nil {
			return nil, "", fmt.Errorf("read config of trigger %s: %w", t.ID, err)
		}
		return every(time.Duration(c.IntervalSeconds) * time.Second), fmt.Sprintf("every %d", c.IntervalSeconds), nil
	default:
		return nil, "", nil
	}
}

// every is the schedule of an interval: its slots are multiples of it since 1970, so that they need no beginning.
type every time.Duration

// Next implements calendar.Schedule.
func (e every) Next(after time.Time) (time.Time, bool) {
	d := time.Duration(e)
	return after.UTC().Truncate(d).Add(d), true
}

// lastingSpec is the same while the wait of a trigger for a lasting state stays what it is.
func lastingSpec(t definition.Trigger) string {
	return fmt.Sprintf("%s %s %d", t.Event, t.Filter, t.For)
}

// Words implements calendar.Schedule.
func (e every) Words() string { return "every " + time.Duration(e).String() }
