package probe

import (
	"net/url"
	"strings"
	"unicode"
)

// typed reports whether one of the messages, which the person wrote, holds the address: the same host, path and query. The
// scheme, the case of the host, its default port, a slash at the end and the fragment make no difference, and the address may
// stand in a sentence, in quotes or in brackets.
func typed(words []string, address string) bool {
	wanted, ok := canonical(address)
	if !ok {
		return false
	}
	for _, message := range words {
		for part := range strings.FieldsFuncSeq(message, parts) {
			for _, candidate := range candidates(part) {
				if found, ok := canonical(candidate); ok && found == wanted {
					return true
				}
			}
		}
	}
	return false
}

// parts reports what ends an address wherever it stands.
func parts(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>", r) }

// candidates are what may be meant as an address: the whole, from a scheme on, and without the punctuation around it.
func candidates(part string) []string {
	if at := strings.Index(strings.ToLower(part), "http"); at > 0 {
		part = part[at:]
	}
	bare := strings.TrimLeft(part, "([{*_")
	return []string{part, bare, strings.TrimRight(bare, ".,;:!?)]}*_\\")}
}

// canonical is what of an address can carry something.
func canonical(address string) (string, bool) {
	lower := strings.ToLower(address)
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return "", false
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return host + strings.TrimSuffix(u.EscapedPath(), "/") + "?" + u.RawQuery, true
}
