package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// HealthCheckResult is the outcome of a health check. It is HealthCheckResult of healthcheck.d.ts.
type HealthCheckResult struct {
	Success bool     `json:"success"`
	Message string   `json:"message,omitempty"`
	Value   *float64 `json:"value,omitempty"`
}

// ReadHealthCheckResult parses the result of a health check: a result, a boolean, a number (a success with that value),
// or null for none (a success). The error is for the author of the script.
func ReadHealthCheckResult(returned json.RawMessage) (HealthCheckResult, error) {
	var value any
	if err := json.Unmarshal(returned, &value); err != nil {
		return HealthCheckResult{}, errors.New("what the health check returned is not JSON")
	}
	switch v := value.(type) {
	case nil:
		return HealthCheckResult{Success: true}, nil
	case bool:
		return HealthCheckResult{Success: v}, nil
	case float64:
		return HealthCheckResult{Success: true, Value: &v}, nil
	case map[string]any:
		return readMembers(v)
	default:
		return HealthCheckResult{}, fmt.Errorf("a health check returns {success, message?, value?}, a boolean, a number or nothing; "+
			"this one returned %s", kindOf(value))
	}
}

func readMembers(members map[string]any) (HealthCheckResult, error) {
	var result HealthCheckResult
	var ok bool
	if result.Success, ok = members["success"].(bool); !ok {
		return HealthCheckResult{}, fmt.Errorf("success of the health check's result must be a boolean, not %s", kindOf(members["success"]))
	}
	if message, given := members["message"]; given && message != nil {
		if result.Message, ok = message.(string); !ok {
			return HealthCheckResult{}, fmt.Errorf("message of the health check's result must be a string, not %s", kindOf(message))
		}
	}
	if value, given := members["value"]; given && value != nil {
		number, ok := value.(float64)
		if !ok {
			return HealthCheckResult{}, fmt.Errorf("value of the health check's result must be a number, not %s", kindOf(value))
		}
		result.Value = &number
	}
	return result, nil
}

// ExternalID returns the id of an action's external effect: the member externalId, otherwise id, of its result, when
// that is a string or a number. It is "" without one.
func ExternalID(returned json.RawMessage) string {
	var members struct {
		ExternalID any `json:"externalId"`
		ID         any `json:"id"`
	}
	if json.Unmarshal(returned, &members) != nil {
		return ""
	}
	for _, id := range []any{members.ExternalID, members.ID} {
		switch v := id.(type) {
		case string:
			if v != "" {
				return v
			}
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
