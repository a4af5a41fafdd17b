package attack_test

import "encoding/json"

// encode is v as JSON.
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // the tests make only what can be encoded
	}
	return string(raw)
}
