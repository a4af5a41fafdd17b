package scrub

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// tokenKind is a form of credential that is known by how it begins.
type tokenKind struct {
	prefix string
	// least is how many characters follow the prefix at least.
	least int
	chars remainder
	// exact kinds have no further characters.
	exact bool
	// upper kinds consist of capitals and digits.
	upper bool
}

// maxUndecided bounds how far a kind looks for the digit or capital that tells a key from words with hyphens.
const maxUndecided = 128

var tokenKinds = byFirst([]tokenKind{
	// Model providers.
	{prefix: "sk-", least: 16},
	{prefix: "rk-", least: 16},
	{prefix: "gsk_", least: 20},
	{prefix: "AIza", least: 30},
	{prefix: "hf_", least: 20},
	{prefix: "xai-", least: 20},
	{prefix: "pplx-", least: 20},
	{prefix: "r8_", least: 20},
	{prefix: "nvapi-", least: 20},
	{prefix: "csk-", least: 20},
	{prefix: "tgp_v1_", least: 20},
	{prefix: "fw_", least: 20},
	// Clouds.
	{prefix: "AKIA", least: 16, exact: true, upper: true},
	{prefix: "ASIA", least: 16, exact: true, upper: true},
	{prefix: "ya29.", least: 20, chars: dotted},
	{prefix: "GOCSPX-", least: 20},
	{prefix: "1//0", least: 30},
	{prefix: "dop_v1_", least: 20},
	{prefix: "doo_v1_", least: 20},
	{prefix: "dor_v1_", least: 20},
	{prefix: "dapi", least: 32},
	{prefix: "tskey-", least: 16},
	{prefix: "FlyV1 fm2_", least: 20},
	{prefix: "sbp_", least: 20},
	{prefix: "pul-", least: 30},
	{prefix: "hvs.", least: 20},
	{prefix: "hvb.", least: 20},
	{prefix: "hvr.", least: 20},
	// Repositories and packages.
	{prefix: "ghp_", least: 20},
	{prefix: "gho_", least: 20},
	{prefix: "ghu_", least: 20},
	{prefix: "ghs_", least: 20},
	{prefix: "ghr_", least: 20},
	{prefix: "github_pat_", least: 20},
	{prefix: "glpat-", least: 16, chars: dotted},
	{prefix: "gldt-", least: 16},
	{prefix: "glrt-", least: 16, chars: dotted},
	{prefix: "glcbt-", least: 16},
	{prefix: "glptt-", least: 16},
	{prefix: "glsoat-", least: 16},
	{prefix: "glft-", least: 16},
	{prefix: "npm_", least: 30},
	{prefix: "pypi-", least: 32},
	{prefix: "dckr_pat_", least: 20},
	{prefix: "rubygems_", least: 30},
	{prefix: "CCIPAT_", least: 20},
	// Services.
	{prefix: "xoxb-", least: 10},
	{prefix: "xoxp-", least: 10},
	{prefix: "xoxa-", least: 10},
	{prefix: "xoxr-", least: 10},
	{prefix: "xoxs-", least: 10},
	{prefix: "xoxo-", least: 10},
	{prefix: "xoxc-", least: 10},
	{prefix: "xoxd-", least: 10},
	{prefix: "xoxe-", least: 10},
	{prefix: "xoxe.", least: 10, chars: dotted},
	{prefix: "xapp-", least: 20},
	{prefix: "hooks.slack.com/services/", least: 16, chars: bearerChars},
	{prefix: "discord.com/api/webhooks/", least: 30, chars: bearerChars},
	{prefix: "sk_live_", least: 10},
	{prefix: "sk_test_", least: 10},
	{prefix: "rk_live_", least: 10},
	{prefix: "rk_test_", least: 10},
	{prefix: "whsec_", least: 16},
	{prefix: "SG.", least: 30, chars: dotted},
	{prefix: "shpat_", least: 20},
	{prefix: "shpss_", least: 20},
	{prefix: "shpca_", least: 20},
	{prefix: "shppa_", least: 20},
	{prefix: "sq0atp-", least: 16},
	{prefix: "sq0csp-", least: 16},
	{prefix: "NRAK-", least: 20},
	{prefix: "PMAK-", least: 30},
	{prefix: "lin_api_", least: 20},
	{prefix: "ATATT3", least: 40, chars: bearerChars},
	{prefix: "ATCTT3", least: 40, chars: bearerChars},
	{prefix: "sntrys_", least: 20, chars: bearerChars},
	{prefix: "sntryu_", least: 20},
	{prefix: "figd_", least: 20},
	{prefix: "ntn_", least: 30},
	{prefix: "secret_", least: 40},
	{prefix: "glc_", least: 30, chars: bearerChars},
	{prefix: "glsa_", least: 20},
	{prefix: "AGE-SECRET-KEY-1", least: 20},
	// The product's own: API tokens, delegated credentials, what connected programs hold, proposal tokens.
	{prefix: "csa_", least: 20},
	{prefix: "csd_", least: 20},
	{prefix: "cso_", least: 20},
	{prefix: "csr_", least: 20},
	{prefix: "csc_", least: 20},
	{prefix: "propose:", least: 40, chars: dotted},
})

// Further forms begin with these bytes.
const (
	jwtStart = 'e'
	pemStart = '-'
)

func byFirst(kinds []tokenKind) map[byte][]tokenKind {
	table := map[byte][]tokenKind{jwtStart: nil, pemStart: nil}
	for _, k := range kinds {
		if k.chars == none {
			k.chars = base64url
		}
		table[k.prefix[0]] = append(table[k.prefix[0]], k)
	}
	return table
}

// token looks for a credential that is known by its own form at the start of t, where a word begins. segment says that
// the word is one of a path.
func token(t string, end, segment bool) finding {
	switch t[0] {
	case jwtStart:
		return webToken(t, end)
	case pemStart:
		return beginsPrivateKey(t, end)
	}
	for _, k := range tokenKinds[t[0]] {
		if f := k.find(t, end, segment); f.verdict != no {
			return f
		}
	}
	return nothing
}

func (k tokenKind) find(t string, end, segment bool) finding {
	switch startsWith(t, k.prefix, end) {
	case no:
		return nothing
	case more:
		return unknown
	}
	body := t[len(k.prefix):]
	if k.exact {
		return k.findExact(body, end)
	}
	// A segment of a path may be words and numbers with hyphens between them: sk-checkout-flow-12345678.
	segment = segment && strings.HasSuffix(k.prefix, "-")
	telling := false
	for n := range maxUndecided {
		if n >= k.least && telling {
			return found(0, len(k.prefix)+n, k.chars)
		}
		if n == len(body) {
			if end {
				return nothing
			}
			return unknown
		}
		if !k.chars.has(body[n]) {
			return nothing
		}
		telling = telling || classes[body[n]]&(isDigit|isUpper) != 0 && (!segment || !isSlugPart(body, n))
	}
	return nothing
}

// isSlugPart reports whether the part of a name with hyphens in which body[n] is can be a word or a number so far.
func isSlugPart(body string, n int) bool {
	const longest = 12
	from := strings.LastIndexByte(body[:n], '-') + 1
	part := body[from : n+1]
	return len(part) <= longest && every(part, isDigit)
}

func (k tokenKind) findExact(body string, end bool) finding {
	for n := range k.least {
		if n == len(body) {
			if end {
				return nothing
			}
			return unknown
		}
		if classes[body[n]]&(isDigit|isUpper) == 0 {
			return nothing
		}
	}
	if len(body) == k.least {
		if !end {
			return unknown
		}
	} else if classes[body[k.least]]&isAlnum != 0 {
		return nothing
	}
	return found(0, len(k.prefix)+k.least, none)
}

const (
	// maxJWTHeader bounds the first part of a token; those with certificates in it are longer, and rare.
	maxJWTHeader = 2048
	leastPayload = 8
)

// webToken looks for a JWT or JWE: a base64url part that is a JSON object naming an algorithm, a dot, and another part.
func webToken(t string, end bool) finding {
	const prefix = "eyJ"
	switch startsWith(t, prefix, end) {
	case no:
		return nothing
	case more:
		return unknown
	}
	dot := len(prefix)
	for ; ; dot++ {
		if dot == len(t) {
			if end {
				return nothing
			}
			return unknown
		}
		if dot > maxJWTHeader {
			return nothing
		}
		if t[dot] == '.' {
			break
		}
		if classes[t[dot]]&isBase64URL == 0 {
			return nothing
		}
	}
	if !isJWTHeader(t[:dot]) {
		return nothing
	}
	for n := range leastPayload {
		i := dot + 1 + n
		switch {
		case i == len(t) && end:
			return nothing
		case i == len(t):
			return unknown
		case t[i] == '.' && n == 0:
			continue // a JWE with a direct key has an empty second part
		case classes[t[i]]&isBase64URL == 0:
			return nothing
		}
	}
	return found(0, dot+1+leastPayload, dotted)
}

func isJWTHeader(part string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return false
	}
	var header struct {
		Algorithm  string `json:"alg"`
		Type       string `json:"typ"`
		Encryption string `json:"enc"`
	}
	return json.Unmarshal(raw, &header) == nil && header.Algorithm+header.Type+header.Encryption != ""
}

// beginsPrivateKey looks for the first line of a PEM private key. All text behind it is the key, whether or not it ends.
func beginsPrivateKey(t string, end bool) finding {
	length, known := pemLine(t, pemBegin, end)
	switch {
	case !known:
		return unknown
	case length == 0 || !strings.Contains(t[:length], "PRIVATE KEY"):
		return nothing
	}
	return found(0, length, privateKey)
}
