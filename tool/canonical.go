package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"countersign/internal/text/strictjson"
)

// Canonical encodes v as JSON with sorted keys, no insignificant space and one spelling of each number: equal values
// have equal bytes. Numbers keep every digit.
func Canonical(v any) (json.RawMessage, error) {
	tree, err := Tree(v)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(tree); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Hash is the SHA-256 of the canonical form of arguments, in hex; the audit row keeps it in place of the arguments.
// Text that is not JSON is hashed unchanged.
func Hash(arguments json.RawMessage) string {
	canonical, err := Canonical(arguments)
	if err != nil {
		canonical = arguments
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Tree decodes the JSON form of v: maps, slices, strings, booleans, nil, and canonical json.Numbers.
func Tree(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := strictjson.DecodeNumbers(raw, &tree); err != nil {
		return nil, err
	}
	return withCanonicalNumbers(tree), nil
}

func withCanonicalNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		return json.Number(canonicalNumber(v.String()))
	case map[string]any:
		for key, member := range v {
			v[key] = withCanonicalNumbers(member)
		}
	case []any:
		for i, element := range v {
			v[i] = withCanonicalNumbers(element)
		}
	}
	return value
}

// canonicalNumber spells a JSON number in one way, without rounding it to a float: 1.50 and 15e-1 are 1.5, -0 is 0, and
// only numbers of more than 21 digits or below a millionth have an exponent.
func canonicalNumber(literal string) string {
	mantissa, exponent := strings.ToLower(literal), 0
	if m, e, ok := strings.Cut(mantissa, "e"); ok {
		n, err := strconv.Atoi(e)
		if err != nil || n > 1<<30 || n < -1<<30 {
			return strings.ToLower(literal)
		}
		mantissa, exponent = m, n
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	// The value is 0.digits * 10^point.
	point := exponent + len(whole) - (len(whole+fraction) - len(digits))
	digits = strings.TrimRight(digits, "0")
	sign := ""
	if negative {
		sign = "-"
	}
	switch n := len(digits); {
	case n == 0:
		return "0"
	case point > 21 || point < -5:
		if n > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return sign + digits + "e" + strconv.Itoa(point-1)
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case point < n:
		return sign + digits[:point] + "." + digits[point:]
	default:
		return sign + digits + strings.Repeat("0", point-n)
	}
}
