package scrub

import (
	"slices"
	"strings"
)

// keyKind says how far a key's name tells that its value is a credential.
type keyKind int8

const (
	noKey keyKind = iota
	// password: any text may be one.
	password
	// strong names such as apiKey and clientSecret are given to nothing else.
	strong
	// weak names such as token and auth are given to other things, too.
	weak
	// authorization is followed by a scheme and a credential.
	authorization
	// cookie is followed by pairs.
	cookie
	// opaque names such as sig are common; only a long value is a credential.
	opaque
	// bearer and basic are schemes, followed by a space and a credential.
	bearer
	basic
)

// maxKey bounds a key; longer words are data.
const maxKey = 56

var (
	// strongEnds are the ends of names, written as one word in lower case.
	strongEnds = []string{
		"apikey", "secretkey", "privatekey", "accesskey", "authkey", "encryptionkey", "decryptionkey", "signingkey", "masterkey", "accountkey",
		"sharedkey", "sshkey", "deploykey", "subscriptionkey", "hmackey", "clientsecret", "appsecret", "signingsecret",
		"webhooksecret", "apisecret", "consumersecret", "sharedsecret", "authtoken", "accesstoken", "refreshtoken", "bearertoken", "sessiontoken",
		"securitytoken", "apitoken", "bottoken", "deploytoken", "jobtoken", "connectionstring", "connstring", "connstr", "dsn",
		"credential", "credentials", "apikeys", "accesstokens", "refreshtokens", "authtokens", "privatekeys",
	}
	passwordEnds = []string{"password", "passwd", "passphrase", "passwords", "passphrases"}
	// passOwners make a password of "pass".
	passOwners = []string{
		"db",
		"database",
		"smtp",
		"user",
		"mysql",
		"pg",
		"postgres",
		"redis",
		"mail",
		"email",
		"root",
		"admin",
		"ftp",
		"proxy",
		"basic",
		"ldap",
		"mongo",
		"login",
		"my",
	}
	// trailing words say how a credential is written.
	trailing = []string{"value", "plain", "plaintext", "b64", "base64", "raw", "text", "header"}
	// questions begin names that ask whether there is a credential.
	questions = []string{
		"has",
		"is",
		"needs",
		"need",
		"requires",
		"require",
		"show",
		"hide",
		"use",
		"uses",
		"reset",
		"forgot",
		"change",
		"confirm",
	}
	// notSecret are words before "token" that make it a place in a list, or a piece of text.
	notSecret = []string{
		"page",
		"next",
		"continuation",
		"cursor",
		"sync",
		"resume",
		"skip",
		"cancel",
		"cancellation",
		"design",
		"per",
		"delay",
		"first",
		"last",
		"max",
		"min",
		"stop",
		"start",
		"end",
		"begin",
		"eos",
		"bos",
		"pad",
		"unk",
		"mask",
		"cls",
		"sep",
		"special",
		"input",
		"output",
		"total",
		"prompt",
		"completion",
		"cached",
		"reasoning",
		"unexpected",
		"this",
		"syntax",
		"current",
		"previous",
		"prev",
	}
)

// kindOf judges the name of a member, a variable or a header in any style, or the last words of a sentence.
func kindOf(name string) keyKind {
	name = strings.TrimRight(name, " -_.")
	if !endsLikeKey(name) {
		return noKey
	}
	words := wordsOf(name)
	if len(words) > 1 && slices.Contains(trailing, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 || slices.Contains(questions, wordsOf(name[strings.LastIndexByte(name, ' ')+1:])[0]) {
		return noKey
	}
	last := strings.TrimRight(words[len(words)-1], "0123456789")
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	if last == "hash" && slices.Contains(passwordEnds, before) {
		return password
	}
	joined := strings.Join(words[max(0, len(words)-3):len(words)-1], "") + last
	switch {
	case endsIn(last, passwordEnds),
		last == "pwd",
		last == "pw",
		last == "passwort",
		last == "passcode",
		last == "pass" && slices.Contains(passOwners, before):
		return password
	case strings.HasSuffix(joined, "proxyauthorization"), last == "authorization":
		return authorization
	case last == "token" && slices.Contains(notSecret, before):
		return noKey
	case endsIn(joined, strongEnds),
		last == "creds",
		last == "jwt",
		before == "countersign" && last == "session",
		strings.HasSuffix(name, "__Host-countersign"):
		return strong
	case last == "secret", last == "secrets", last == "token" && before != "", last == "clientsecrets":
		if last == "token" && strings.Contains(name, " ") {
			return weak // a sentence may end so
		}
		return strong
	case last == "token", last == "auth":
		return weak
	case last == "cookie", last == "cookies":
		return cookie
	case last == "sig", last == "signature", last == "sid", last == "sessid", last == "sessionid", last == "phpsessid", last == "jsessionid",
		last == "session", before == "session" && last == "id":
		return opaque
	case last == "bearer":
		return bearer
	case last == "basic":
		return basic
	}
	return noKey
}

// keyEnds are the last two letters of all names of credentials, to let most words pass at once.
const keyEnds = " rd wd se de ss et ey en on th ds al rt tr ng wt ie ig re id er ic sh ys ns ls es ts ue in xt aw gn pw sn "

func endsLikeKey(name string) bool {
	if len(name) < 2 {
		return false
	}
	a, b := name[len(name)-2]|0x20, name[len(name)-1]|0x20
	if classes[name[len(name)-1]]&isDigit != 0 {
		return true
	}
	return strings.Contains(keyEnds, string([]byte{' ', a, b, ' '}))
}

func endsIn(text string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(text, end) })
}

// wordsOf takes a name in camel case, with hyphens, underscores, dots or spaces apart, in lower case.
func wordsOf(name string) []string {
	if len(name) > maxKey {
		name = name[len(name)-maxKey:]
	}
	var words []string
	start := 0
	end := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(name[start:i]))
		}
		start = i
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case classes[c]&isAlnum == 0:
			end(i)
			start = i + 1
		case i > start && classes[c]&isUpper != 0:
			afterLower := classes[name[i-1]]&isUpper == 0
			beforeLower := i+1 < len(name) && classes[name[i+1]]&(isUpper|isDigit) == 0 && classes[name[i+1]]&isAlnum != 0
			if afterLower || beforeLower {
				end(i)
			}
		}
	}
	end(len(name))
	return words
}
