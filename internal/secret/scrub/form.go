package scrub

import "strings"

const (
	// maxDSN bounds the password of a data source name.
	maxDSN = 256
	// Bots of Telegram have a number, a colon, and a secret of this length that begins with an A.
	telegramSecret = 35
	leastBotDigits = 6
)

// dsnNetworks are what follows the password in a data source name without a scheme: user:password@tcp(host)/name.
var dsnNetworks = []string{"tcp(", "tcp4(", "tcp6(", "unix(", "cloudsql(", "pipe("}

// afterColon looks for a credential that is known by its form and follows a colon at the end of a word.
func (s *scanner) afterColon(t string, end bool) finding {
	if f := s.botToken(t, end); f.verdict != no {
		return f
	}
	return dsnPassword(t, end)
}

func (s *scanner) botToken(t string, end bool) finding {
	digits := 0
	for i := s.n - 1; i >= 0 && digits < s.word && classes[s.key[i]]&isDigit != 0; i-- {
		digits++
	}
	if digits < leastBotDigits {
		return nothing
	}
	for i := 1; ; i++ {
		switch {
		case i == len(t) && !end:
			return unknown
		case i == len(t) || classes[t[i]]&isBase64URL == 0:
			if i == telegramSecret+1 {
				return found(1, i, none)
			}
			return nothing
		case i == 1 && t[i] != 'A', i > telegramSecret:
			return nothing
		}
	}
}

func dsnPassword(t string, end bool) finding {
	for i := 1; i < maxDSN; i++ {
		switch {
		case i == len(t) && !end:
			return unknown
		case i == len(t) || classes[t[i]]&endsValue != 0 || i == 1 && t[i] == '/':
			return nothing
		case t[i] != '@':
			continue
		}
		for _, network := range dsnNetworks {
			switch startsWith(t[i+1:], network, end) {
			case yes:
				if isPlaceholder(t[1:i]) || strings.Contains(t[1:i], Marker) {
					return nothing
				}
				return found(1, i, none)
			case more:
				return unknown
			}
		}
	}
	return nothing
}
