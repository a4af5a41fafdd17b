package health

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"countersign/internal/problem"
)

// Modes of thresholds.
const (
	Consecutive = "consecutive"
	Window      = "window"
)

// Limits of thresholds.
const (
	MinWindow     = 3
	MaxWindow     = 100
	MaxStreak     = 100
	MaxFlaps      = 5
	MaxFlapWindow = 12 * 60 // minutes
)

// Thresholds are the numbers of runs that change a status. Zero fields have their defaults.
type Thresholds struct {
	// Mode is consecutive (the default) or window.
	Mode string `json:"mode,omitempty" jsonschema:"enum=consecutive,enum=window,default=consecutive,description=Whether runs count that failed one after the other or those among the last ones."`
	// HealthyAfter is the number of consecutive passed runs for healthy, 1 by default; only for consecutive.
	HealthyAfter int `json:"healthyAfter,omitempty" jsonschema:"minimum=1,maximum=100,description=How many runs in a row have to pass for healthy (1). Not for a window."`
	// DegradedAfter and UnhealthyAfter are numbers of failed runs: by default 2 and 5 in a row, or 3 and 7 of the
	// window.
	DegradedAfter  int `json:"degradedAfter,omitempty" jsonschema:"minimum=1,maximum=100,description=How many runs have to fail for degraded (2 in a row or 3 of the window)."`
	UnhealthyAfter int `json:"unhealthyAfter,omitempty" jsonschema:"minimum=1,maximum=100,description=How many runs have to fail for unhealthy (5 in a row or 7 of the window)."`
	// UnknownAfter is the number of consecutive runs that could not be made for unknown, 3 by default.
	UnknownAfter int `json:"unknownAfter,omitempty" jsonschema:"minimum=1,maximum=100,description=How many runs in a row have to be impossible to make for unknown (3)."`
	// WindowSize is the number of runs in the window, 10 by default; only for window.
	WindowSize int `json:"windowSize,omitempty" jsonschema:"minimum=3,maximum=100,description=Of how many last runs the failed ones are counted (10). Only for a window."`
	// FlapChanges is the number of changes between healthy and not healthy within FlapMinutes after which the status
	// stays at the worse one, by default 4 in 30 minutes. -1 disables that.
	FlapChanges int `json:"flapChanges,omitempty" jsonschema:"minimum=-1,maximum=5,description=How often the status may go between healthy and not healthy within flapMinutes before it stays at the worse one (4). -1 switches that off."`
	FlapMinutes int `json:"flapMinutes,omitempty" jsonschema:"minimum=1,maximum=720,description=See flapChanges (30)."`
}

// WithDefaults replaces zero fields with the defaults.
func (t Thresholds) WithDefaults() Thresholds {
	set := func(value *int, fallback int) {
		if *value == 0 {
			*value = fallback
		}
	}
	if t.Mode == "" {
		t.Mode = Consecutive
	}
	if t.Mode == Window {
		set(&t.WindowSize, 10)
		set(&t.DegradedAfter, min(3, t.WindowSize))
		set(&t.UnhealthyAfter, min(max(7, t.DegradedAfter), t.WindowSize))
	} else {
		set(&t.HealthyAfter, 1)
		set(&t.DegradedAfter, 2)
		set(&t.UnhealthyAfter, max(5, t.DegradedAfter))
	}
	set(&t.UnknownAfter, 3)
	set(&t.FlapChanges, 4)
	set(&t.FlapMinutes, 30)
	return t
}

// Issues lists the errors of thresholds.
func (t Thresholds) Issues() []problem.Issue {
	var issues []problem.Issue
	within := func(path string, value, low, high int) {
		if value < low || value > high {
			issues = append(issues, problem.Issue{Path: path, Message: fmt.Sprintf("must be from %d to %d", low, high)})
		}
	}
	if t.Mode != "" && t.Mode != Consecutive && t.Mode != Window {
		return []problem.Issue{{Path: "mode", Message: "must be consecutive or window"}}
	}
	given := t
	t = t.WithDefaults()
	most := MaxStreak
	if t.Mode == Window {
		within("windowSize", t.WindowSize, MinWindow, MaxWindow)
		most = min(max(t.WindowSize, MinWindow), MaxWindow)
		if given.HealthyAfter != 0 {
			issues = append(issues, problem.Issue{Path: "healthyAfter", Message: "is only for the mode consecutive"})
		}
	} else {
		within("healthyAfter", t.HealthyAfter, 1, MaxStreak)
		if given.WindowSize != 0 {
			issues = append(issues, problem.Issue{Path: "windowSize", Message: "is only for the mode window"})
		}
	}
	within("degradedAfter", t.DegradedAfter, 1, most)
	within("unhealthyAfter", t.UnhealthyAfter, 1, most)
	within("unknownAfter", t.UnknownAfter, 1, MaxStreak)
	if t.UnhealthyAfter < t.DegradedAfter {
		issues = append(
			issues,
			problem.Issue{Path: "unhealthyAfter", Message: fmt.Sprintf("is less than degradedAfter, which is %d", t.DegradedAfter)},
		)
	}
	if t.FlapChanges != -1 {
		within("flapChanges", t.FlapChanges, 1, MaxFlaps)
	}
	within("flapMinutes", t.FlapMinutes, 1, MaxFlapWindow)
	return issues
}

// ParseThresholds decodes stored thresholds; empty text and {} are the defaults.
func ParseThresholds(raw json.RawMessage) (Thresholds, error) {
	var t Thresholds
	if len(bytes.TrimSpace(raw)) == 0 {
		return t.WithDefaults(), nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil {
		return t, problem.InvalidInput(
			"The thresholds cannot be read.",
			problem.Issue{Path: "thresholds", Message: "cannot be read"},
		).WithCause(
			err,
		)
	}
	if issues := t.Issues(); len(issues) > 0 {
		return t, problem.InvalidInput("The thresholds are not valid: "+issues[0].Path+" "+issues[0].Message+".", issues...)
	}
	return t.WithDefaults(), nil
}

func (t Thresholds) flapWindow() time.Duration { return time.Duration(t.FlapMinutes) * time.Minute }
