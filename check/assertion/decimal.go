package assertion

import (
	"cmp"
	"strconv"
	"strings"
)

// decimal is a number of JSON, exact: 0.digits times ten to the power of exponent. Zero has no digits.
type decimal struct {
	digits   string // without zeros at either end
	exponent int
	negative bool
}

// maxExponent bounds exponents, so that their sums do not overflow.
const maxExponent = 1 << 30

// parseDecimal reads a number as JSON writes it, without rounding; false for another text.
func parseDecimal(text string) (decimal, bool) {
	text = strings.TrimSpace(text)
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	if hasExponent {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > maxExponent || e < -maxExponent {
			return decimal{}, false
		}
		d.exponent = e
	}
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	if whole == "" || hasFraction && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return decimal{}, false
	}
	d.exponent += len(whole)
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent -= len(whole) + len(fraction) - len(digits)
	if d.digits = strings.TrimRight(digits, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// compare is negative, 0 or positive as d is less than, equal to or greater than other.
func (d decimal) compare(other decimal) int {
	sign := d.sign()
	if c := cmp.Compare(sign, other.sign()); c != 0 || sign == 0 {
		return c
	}
	if c := cmp.Compare(d.exponent, other.exponent); c != 0 {
		return c * sign
	}
	return strings.Compare(d.digits, other.digits) * sign
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}
