package scrub

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// isSecret judges a value without quotes.
func isSecret(kind keyKind, value string, a given) bool {
	if strings.Contains(value, Marker) || isPlaceholder(value) || isOrdinary(value) {
		return false
	}
	switch kind {
	case cookie:
		name, rest, pair := strings.Cut(value, "=")
		return pair && len(rest) >= 8 && !strings.Contains(name, " ")
	case opaque:
		return a.between == '=' && !a.spaced && isOpaque(value)
	case bearer:
		return len(value) >= 12 && every(value, isWord|isBase64URL) && !isProse(value) ||
			len(value) >= 12 && strings.ContainsAny(value, "~+/=") && !isExpression(value)
	case basic:
		return isBasic(value)
	case noKey:
		return false
	}
	if a.quotedKey && isNumber(kind, value) {
		return true
	}
	if isExpression(value) || kind != password && isMeasure(value) {
		return false
	}
	if a.between == '=' && (!a.spaced || a.quotedKey) {
		if isName(value) {
			return false
		}
		if kind == password {
			return len(value) >= 3
		}
		return len(value) >= 6 && (kind != weak || !isAlgorithm(value))
	}
	return isPlausible(kind, value)
}

// isQuotedSecret judges a value in quotes.
func isQuotedSecret(kind keyKind, value string, a given) bool {
	if value == "" || strings.IndexByte("+,);]} ", value[0]) >= 0 {
		return false // the quote has closed a text, and code goes on
	}
	if !a.quotedKey && strings.ContainsAny(value, " \t") && kind != authorization && kind != cookie {
		return false
	}
	return isMember(kind, value)
}

// isMember judges the value of a member of a JSON object.
func isMember(kind keyKind, value string) bool {
	value = strings.TrimSpace(value)
	if strings.Contains(value, Marker) || isPlaceholder(value) || isOrdinary(value) {
		return false
	}
	switch kind {
	case noKey, basic:
		return false
	case opaque:
		return isOpaque(value)
	case cookie:
		return strings.Contains(value, "=") || isPlausible(cookie, value)
	case weak:
		return len(value) >= 6 && !isMeasure(value)
	}
	return true
}

// isNumber judges a number that is the value of a quoted key. Counts of credentials are smaller.
func isNumber(kind keyKind, value string) bool {
	digits := 0
	for i := range len(value) {
		switch {
		case classes[value[i]]&isDigit != 0:
			digits++
		case strings.IndexByte("+-.eE", value[i]) < 0:
			return false
		}
	}
	return kind == password && digits >= 4 || kind == strong && digits >= 6
}

// isPlausible judges a value in prose, or in YAML: it has to look like a credential by itself.
func isPlausible(kind keyKind, value string) bool {
	value = strings.TrimRight(value, ".?!:")
	if len(value) < 6 || strings.Contains(value, "://") || isDashed(value) && (kind != password || !some(value, isDigit)) ||
		isMeasure(value) && kind != password ||
		isAlgorithm(value) {
		return false
	}
	if i := strings.IndexByte(strings.TrimRight(value, "="), '='); i >= 0 && every(value[:i], isAlnum) && len(value) < 24 {
		return false
	}
	var letters, lower, upper, digits, signs int
	for i := range len(value) {
		class := classes[value[i]]
		switch {
		case class&isDigit != 0:
			digits++
		case class&isUpper != 0:
			upper++
			letters++
		case class&isAlnum != 0:
			lower++
			letters++
		case strings.IndexByte("!@#$%^&*+~?=", value[i]) >= 0:
			signs++
		}
	}
	switch {
	case letters == 0:
		return kind == password && digits >= 6
	case digits > 0, signs > 0:
		return true
	}
	return len(value) >= 24 && upper > 0 && lower > 0 && !strings.ContainsAny(value, "-_./")
}

var ordinary = []string{
	"required",
	"optional",
	"string",
	"none",
	"null",
	"nil",
	"undefined",
	"true",
	"false",
	"yes",
	"no",
	"text",
	"number",
	"integer",
	"boolean",
	"object",
	"array",
	"password",
	"passwd",
	"secret",
	"token",
	"key",
	"apikey",
	"api_key",
	"api-key",
	"value",
	"empty",
	"missing",
	"invalid",
	"valid",
	"expired",
	"unknown",
	"hidden",
	"redacted",
	"masked",
	"unset",
	"set",
	"default",
	"enabled",
	"disabled",
	"bearer",
	"basic",
	"digest",
	"negotiate",
	"oauth",
	"oauth2",
	"jwt",
	"header",
	"query",
	"cookie",
	"credential",
	"credentials",
	"authorization",
	"session",
	"anonymous",
	"public",
	"private",
	"read",
	"write",
	"include",
	"omit",
	"same-origin",
	"admin",
	"user",
	"username",
	"n/a",
	"any",
	"is",
	"are",
	"was",
	"the",
	"your",
	"my",
	"a",
	"an",
}

// isOrdinary recognizes the words of schemas and settings.
func isOrdinary(value string) bool {
	return len(value) <= 16 && slices.Contains(ordinary, strings.ToLower(strings.TrimRight(value, ".,:;!?")))
}

// isPlaceholder recognizes placeholders of credentials: <password>, ${PASSWORD}, {{ secret }}, *****, ..., xxx.
func isPlaceholder(value string) bool {
	switch {
	case value == "", isStandIn(value):
		return true
	case value[0] == '$' && len(value) > 1 && (value[1] == '{' || value[1] == '(' || every(value[1:], isWord) && !some(value, isDigit)):
		return true
	case strings.Contains(value, "${"), value[0] == '$' && every(value[1:], isDigit), !some(value, isAlnum) && len(value) < 4:
		return true
	case (value[0] == '@' || value[0] == ':') && isWords(value[1:]):
		return true // a parameter of a query
	case value[0] == '<' && value[len(value)-1] == '>', value[0] == '{', value[0] == '%' && value[len(value)-1] == '%':
		return true
	case strings.HasPrefix(strings.ToLower(value), "your") && strings.ContainsAny(value, "-_"):
		return true
	}
	return strings.Trim(value, "*.•…") == "" || len(value) >= 3 && strings.Trim(value, "*xX-_") == ""
}

// standIn begins the stand-ins for secrets in runs of custom tools, which are worthless to readers.
const (
	standIn       = "nonce_"
	standInDigits = 32
)

// isStandIn recognizes a stand-in for a secret, alone or after a scheme such as Bearer.
func isStandIn(value string) bool {
	if scheme, rest, ok := strings.Cut(value, " "); ok && isScheme(scheme) {
		value = rest
	}
	digits, ok := strings.CutPrefix(value, standIn)
	if !ok || len(digits) != standInDigits {
		return false
	}
	for i := range len(digits) {
		if !isHex(digits[i]) {
			return false
		}
	}
	return true
}

// isExpression recognizes code: a call, a path of names.
func isExpression(value string) bool {
	if strings.Contains(value, "(") || value[0] == '[' || value[0] == '{' || value[0] == '&' || strings.HasPrefix(value, "//") ||
		classes[value[0]]&isAlnum != 0 && strings.ContainsAny(value, "[{") {
		return true
	}
	first, rest, dotted := strings.Cut(strings.TrimLeft(value, "*!"), ".")
	return dotted && first != "" && rest != "" && isWords(first) && isWords(rest)
}

// isWords reports whether text consists of letters, underscores and dots.
func isWords(text string) bool {
	return every(text, isWord) && !some(text, isDigit) && !strings.Contains(text, "-")
}

// isName recognizes a variable that is named after what it holds, such as user_token.
func isName(value string) bool {
	mixed := strings.Contains(value, "_") || some(value[1:], isUpper) && classes[value[0]]&isUpper == 0
	return mixed && isWords(value) && kindOf(value) != noKey
}

// isProse recognizes a word of the language where a bearer token could stand.
func isProse(value string) bool {
	value = strings.TrimRight(value, ".")
	if some(value[1:], isDigit|isUpper) || strings.Contains(value, "_") {
		return false
	}
	if strings.Contains(value, "-") {
		return len(value) < 32
	}
	return endsIn(value, []string{"tion", "tions", "ment", "ments", "ness", "ing", "ings", "able", "ship", "istics", "ically", "ally", "ated"})
}

// isDashed recognizes a name or a version made of several short parts, such as db-credentials-v2 and 1.2.3.
func isDashed(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("-_/.:", r) })
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		part = strings.TrimPrefix(part, "v")
		if some(part, isDigit) && (!every(part, isDigit) || len(part) > 4) {
			return false
		}
		if strings.ToLower(part) != part || !every(part, isAlnum) {
			return false
		}
	}
	return true
}

// isMeasure recognizes numbers, durations and dates.
func isMeasure(value string) bool {
	if every(value, isDigit) {
		return true
	}
	if _, err := time.ParseDuration(value); err == nil {
		return true
	}
	const date = len("2006-01-02")
	if len(value) < date {
		return false
	}
	_, err := time.Parse(time.DateOnly, value[:date])
	return err == nil
}

var algorithms = []string{
	"sha",
	"md5",
	"aes",
	"rsa",
	"hmac",
	"argon2",
	"bcrypt",
	"scrypt",
	"pbkdf2",
	"ed25519",
	"base64",
	"utf",
	"oauth",
	"rfc",
	"hs256",
	"rs256",
	"es256",
	"x509",
	"tls",
	"scram",
}

func isAlgorithm(value string) bool {
	value = strings.ToLower(value)
	return len(value) <= 16 && slices.ContainsFunc(algorithms, func(a string) bool { return strings.HasPrefix(value, a) })
}

func isScheme(value string) bool {
	return slices.Contains(
		[]string{"bearer", "basic", "token", "digest", "negotiate", "apikey", "key", "aws4-hmac-sha256", "sharedkey", "hawk"},
		strings.ToLower(value),
	)
}

// isOpaque reports whether a value is long and no id.
func isOpaque(value string) bool {
	return len(value) >= 20 && !isUUID(value) && some(value, isDigit) && !strings.ContainsAny(value, " ()")
}

func isUUID(value string) bool {
	if len(value) != 36 {
		return false
	}
	for i := range len(value) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (value[i] == '-') || !dash && !isHex(value[i]) {
			return false
		}
	}
	return true
}

// isBasic reports whether a value is user:password in base64.
func isBasic(value string) bool {
	if len(value) < 8 {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || !utf8.Valid(raw) || !strings.Contains(string(raw), ":") {
		return false
	}
	return !slices.ContainsFunc(raw, func(b byte) bool { return b < ' ' })
}
