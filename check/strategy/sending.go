package strategy

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/check"
)

// mostExcerpt bounds the excerpt of a content for the decider, in characters; the configuration holds all of it.
const mostExcerpt = 300

// excerpt returns the beginning of a content.
func excerpt(content string) string {
	if utf8.RuneCountInString(content) <= mostExcerpt {
		return content
	}
	return string([]rune(content)[:mostExcerpt]) + "… (" + strconv.Itoa(len(content)) + " bytes in all)"
}

// holdsLines reports control characters in texts. A login, a TLS server name or a DNS question can go to any port, where a
// server of another protocol, such as Redis, may execute its lines as commands (protocol smuggling).
func holdsLines(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) })
}

// linesNote is the warning about such texts.
const linesNote = "Its configuration holds control characters, so what is sent can be commands of another protocol."

// unlessLines counts a run whose texts hold control characters as a change.
func unlessLines(s check.Sending, texts ...string) check.Sending {
	if holdsLines(texts...) {
		s.Reads, s.Lines = false, append(s.Lines, linesNote)
	}
	return s
}

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// loginLine describes the login of a session.
func loginLine(product, host string, port int, user, password, database string) string {
	line := "It logs in to " + product + " at " + hostPort(host, port) + " as " + user
	if database != "" {
		line += ", database " + database
	}
	if password != "" {
		line += ", with the password " + password
	}
	return line + "."
}

// Sends implements check.Sender. A statement without AllowWrites runs in a read-only transaction, which the server
// enforces. Functions can still have effects elsewhere, so the statement must be a query that calls only known ones.
func (c *queryConfig) Sends() check.Sending {
	query := otherwise(c.Query, "SELECT 1")
	if c.AllowWrites {
		return check.Sending{Lines: []string{"It runs this SQL statement, which may write: " + excerpt(query)}}
	}
	if !queriesOnly(query) {
		return check.Sending{Lines: []string{"It runs this SQL statement in a read-only transaction, where " +
			"functions and commands can act all the same: " + excerpt(query)}}
	}
	return check.Sending{Reads: true, Lines: []string{"It runs this SQL statement in a read-only transaction: " + excerpt(query)}}
}

// queriesOnly reports whether a read-only transaction keeps a statement from every effect: a single query without
// comments, which some servers execute, without words by which a query writes or locks, and with calls only of known
// pure functions. It does not distinguish string literals from code, so it rejects some statements that only read.
func queriesOnly(query string) bool {
	query = strings.TrimSuffix(strings.TrimSpace(query), ";")
	if strings.ContainsAny(query, ";\\`#@$") || strings.Contains(query, "--") || strings.Contains(query, "/*") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !isWord(r) })
	if len(words) == 0 || !slices.Contains([]string{"select", "show", "values", "table", "with"}, words[0]) {
		return false
	}
	for _, word := range words {
		if actingWords[word] {
			return false
		}
	}
	for at := 0; ; at++ {
		next := strings.IndexByte(query[at:], '(')
		if next < 0 {
			return true
		}
		at += next
		if !opensHarmlessly(strings.TrimRight(query[:at], " \t\r\n\f\v")) {
			return false
		}
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// opensHarmlessly reports whether a parenthesis after this text groups an expression, or holds the arguments of a known
// function.
func opensHarmlessly(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if before == "" || strings.ContainsRune("(,=<>+-*/%|", last) {
		return true
	}
	start := strings.LastIndexFunc(before, func(r rune) bool { return !isWord(r) }) + 1
	word := strings.ToLower(before[start:])
	if word == "" {
		return false
	}
	dot := strings.ToLower(strings.TrimRight(before[:start], " \t\r\n\f\v"))
	if strings.HasSuffix(dot, ".") && !strings.HasSuffix(dot, "pg_catalog.") {
		return false
	}
	return harmlessFunctions[word]
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

var (
	// actingWords are words by which a query writes, locks, or runs another statement.
	actingWords = setOf(`into for lock insert update delete merge replace truncate copy call do execute prepare set grant
		procedure outfile dumpfile nextval setval`)
	// harmlessFunctions compute from their arguments, or read the server's own state. The keywords at the beginning can
	// also precede a parenthesis.
	harmlessFunctions = setOf(`select from where and or not in as on using exists any all some over by values union
		except intersect having between then else when case join limit distinct filter materialized recursive with
		interval is like
		count sum min max avg coalesce nullif greatest least cast extract date_part date_trunc age now to_char
		to_timestamp to_date to_number abs round floor ceil ceiling mod power sqrt sign trunc length char_length
		octet_length lower upper trim ltrim rtrim btrim substring substr concat concat_ws left right position
		replace_all md5 sha256 row_number rank dense_rank lag lead first_value last_value string_agg array_agg
		json_agg jsonb_agg json_build_object jsonb_build_object row_to_json to_json to_jsonb group_concat bool_and
		bool_or every current_database current_schema current_setting version pg_is_in_recovery pg_database_size
		pg_total_relation_size pg_relation_size pg_table_size pg_size_pretty pg_postmaster_start_time
		pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_current_wal_lsn
		pg_wal_lsn_diff if ifnull isnull database schema user unix_timestamp from_unixtime timestampdiff timestampadd
		datediff date time date_add date_sub date_format curdate curtime utc_timestamp current_timestamp current_date
		current_time current_user`)
)
