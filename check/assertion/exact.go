package assertion

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Exact is a number of a result with all of its digits, in the form of JSON: a float64 takes 9007199254740993 and its neighbours for
// one.
type Exact string

// maxExact bounds the characters of a number.
const maxExact = 1000

// NewExact reads a number; nil for a text that is none.
func NewExact(text string) *Exact {
	if _, ok := parseDecimal(text); ok && len(text) <= maxExact && strings.TrimSpace(text) == text && json.Valid([]byte(text)) {
		return new(Exact(text))
	}
	// The number has a form that JSON does not have, such as +5, or more digits than anybody asserts.
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil
	}
	return new(Exact(strconv.FormatFloat(n, 'g', -1, 64)))
}

// MarshalJSON implements json.Marshaler.
func (e Exact) MarshalJSON() ([]byte, error) { return []byte(e), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (e *Exact) UnmarshalJSON(data []byte) error {
	var n json.Number
	err := json.Unmarshal(data, &n)
	*e = Exact(n)
	return err
}

// Float64 returns the nearest float64; an infinity for a number that is too large for one.
func (e Exact) Float64() float64 {
	n, _ := strconv.ParseFloat(string(e), 64)
	return n
}

// number is a number of a result.
type number struct {
	float float64
	// exact is set when float may be rounded.
	exact   decimal
	rounded bool
}

// maxSafe is the number up to which each whole number is a float64.
const maxSafe = 1 << 53

var exactType = reflect.TypeFor[Exact]()

func numberOf(v reflect.Value) (number, bool) {
	switch {
	case v.CanInt():
		n := v.Int()
		if n > -maxSafe && n < maxSafe {
			return number{float: float64(n)}, true
		}
		exact, ok := parseDecimal(strconv.FormatInt(n, 10))
		return number{exact: exact, rounded: true}, ok
	case v.CanFloat():
		return number{float: v.Float()}, true
	case v.CanUint():
		n := v.Uint()
		if n < maxSafe {
			return number{float: float64(n)}, true
		}
		exact, ok := parseDecimal(strconv.FormatUint(n, 10))
		return number{exact: exact, rounded: true}, ok
	case v.IsValid() && v.Type() == exactType:
		exact, ok := parseDecimal(v.String())
		return number{exact: exact, rounded: true}, ok
	default:
		return number{}, false
	}
}

// compare is negative, 0 or positive as n is less than, equal to or greater than the value of an assertion.
func (n number) compare(s scalar) int {
	if n.rounded {
		return n.exact.compare(s.exact)
	}
	switch {
	case n.float < s.number:
		return -1
	case n.float > s.number:
		return 1
	default:
		return 0
	}
}
