package strictjson

import (
	"encoding/json"
	"reflect"
)

// Same reports whether two texts are the same or two valid JSON texts have the same value, whatever the order of members and the
// spaces. Numbers are the same when a float64 makes the same of them: 1 and 1.0 are.
func Same[A, B ~string | ~[]byte](a A, b B) bool {
	if string(a) == string(b) {
		return true
	}
	var left, right any
	return json.Unmarshal([]byte(a), &left) == nil && json.Unmarshal([]byte(b), &right) == nil && reflect.DeepEqual(left, right)
}
