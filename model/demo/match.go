package demo

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxAsk bounds the examined text, maxJoints the places where it may be split: a text with more is one request or
	// none.
	maxAsk    = 2000
	maxJoints = 12
	maxNames  = 8
)

// wish is a scene that a person asks for.
type wish struct {
	scene *scene
	// text is the request as the person wrote it.
	text string
	// slots are strings, and names where the prompt expects a list.
	slots object
	// whole holds the lists as written.
	whole map[string]string
}

// names are the elements of a list.
type names []string

var (
	quotes    = regexp.MustCompile("\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|‘([^’\n]+)’|`([^`\n]+)`|\\*\\*([^*\n]+)\\*\\*")
	apostroph = regexp.MustCompile(`(^|[\s(])'([^'\n]+)'($|[\s.,;:!?)])`)
	space     = regexp.MustCompile(`\s+`)
	lineEnd   = regexp.MustCompile(`([.!?;:,]?)\s*\n\s*`)
	joint     = regexp.MustCompile(`(?i)[.!?;]+ |,? (?:and then|and also|then|and) |, `)
	separator = regexp.MustCompile(`(?i)\s*,\s*(?:and\s+)?(?:in\s+)?|\s+and\s+(?:in\s+)?|\s*&\s*`)
	pronoun   = regexp.MustCompile(`(?i)^(?:it|its|them|they|these|this|that|this one|that one|(?:this|that|the) (?:system|service|group))$`)
)

const firstPlaceholder = '\uE000'

// message is a person's text. Each quoted part is replaced by a rune of the private use area, so that no prompt splits
// it; restore puts it back.
type message struct {
	text   string
	quoted []string
}

func newMessage(text string) message {
	if len(text) > maxAsk {
		text = strings.ToValidUTF8(text[:maxAsk], "")
	}
	text = strings.Map(func(r rune) rune {
		if r >= firstPlaceholder && r < '\uF8FF' {
			return -1
		}
		if r == '’' {
			return '\''
		}
		return r
	}, text)
	var m message
	hide := func(text string) string {
		if text = strings.TrimSpace(text); strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
			return text
		}
		m.quoted = append(m.quoted, text)
		return string(firstPlaceholder + rune(len(m.quoted)-1))
	}
	text = quotes.ReplaceAllStringFunc(text, func(found string) string {
		for _, group := range quotes.FindStringSubmatch(found)[1:] {
			if group != "" {
				return hide(group)
			}
		}
		return found
	})
	text = apostroph.ReplaceAllStringFunc(text, func(found string) string {
		groups := apostroph.FindStringSubmatch(found)
		return groups[1] + hide(groups[2]) + groups[3]
	})
	text = lineEnd.ReplaceAllStringFunc(strings.TrimSpace(text), func(end string) string {
		if end = strings.TrimSpace(end); end == "" {
			end = "."
		}
		return end + " "
	})
	m.text = space.ReplaceAllString(text, " ")
	return m
}

func (m message) restore(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), " .,;:!?")
	var b strings.Builder
	for _, c := range text {
		if i := int(c - firstPlaceholder); i >= 0 && i < len(m.quoted) {
			b.WriteString(m.quoted[i])
			continue
		}
		b.WriteRune(c)
	}
	return strings.TrimSpace(b.String())
}

// read finds the scenes of a message; nil when a part of the message belongs to none.
func (b *book) read(text string) []wish {
	m := newMessage(text)
	joints := [][]int{{0, 0}}
	if all := joint.FindAllStringIndex(m.text, maxJoints+1); len(all) <= maxJoints {
		joints = append(joints, all...)
	}
	dead := make([]bool, len(joints))
	// from parses the message from behind a joint on, in as many parts as possible.
	var from func(i int, first bool) []wish
	from = func(i int, first bool) []wish {
		if dead[i] {
			return nil
		}
		rest := m.text[joints[i][1]:]
		for j := i + 1; j < len(joints); j++ {
			head, ok := b.one(m, m.text[joints[i][1]:max(joints[j][0], joints[i][1])])
			if !ok || head.scene.Alone || !first && head.refersBack() {
				continue
			}
			if strings.Trim(m.text[joints[j][1]:], " .,;:!?") == "" {
				return []wish{head}
			}
			if tail := from(j, first && head.scene.Aside); tail != nil {
				return append([]wish{head}, tail...)
			}
		}
		if whole, ok := b.one(m, rest); ok && (first || !whole.scene.Alone && !whole.refersBack()) {
			return []wish{whole}
		}
		dead[i] = true
		return nil
	}
	wishes := from(0, true)
	if wanted := slices.DeleteFunc(slices.Clone(wishes), func(w wish) bool { return w.scene.Aside }); len(wanted) > 0 {
		return wanted
	}
	return wishes[:min(len(wishes), 1)]
}

// one finds the scene of a single request: among matching prompts, the most specific.
func (b *book) one(m message, text string) (found wish, ok bool) {
	text = " " + b.plain(text)
	lower, least := strings.ToLower(text), freedom{}
	for _, s := range b.Scenes {
		for _, pattern := range s.patterns {
			at := pattern.find(text, lower)
			if at == nil {
				continue
			}
			if w, free, fits := b.fit(m, pattern, text, at); fits && (!ok || free.less(least)) {
				w.scene, w.text = s, m.restore(text)
				found, least, ok = w, free, true
			}
		}
	}
	return found, ok
}

// freedom is how much of a text is in slots, and how much of that in slots without a form.
type freedom struct{ all, formless int }

func (f freedom) less(other freedom) bool {
	return f.all < other.all || f.all == other.all && f.formless < other.formless
}

// fit fills the slots of a prompt.
func (b *book) fit(m message, pattern pattern, text string, at []int) (w wish, free freedom, ok bool) {
	w.slots, w.whole = object{}, map[string]string{}
	for i, group := range pattern.SubexpNames() {
		if group == "" || at[2*i] < 0 {
			continue
		}
		raw := text[at[2*i]:at[2*i+1]]
		name, mark, _ := strings.Cut(group, "_")
		free.all += len(raw)
		if b.Slots[name] == "" {
			free.formless += len(raw)
		}
		isList := strings.HasSuffix(mark, "_list")
		if slices.Contains(b.Names, name) && b.isSentence(raw, isList) {
			return w, free, false
		}
		switch value := m.restore(raw); {
		case value == "":
		case isList:
			w.slots[name], w.whole[name] = m.list(raw), value
		default:
			w.slots[name] = value
		}
	}
	return w, free, true
}

// isSentence reports whether a candidate name is a sentence.
func (b *book) isSentence(name string, isList bool) bool {
	if isList {
		name = separator.ReplaceAllString(name, " ")
	}
	return !pronoun.MatchString(name) && b.reserved.MatchString(" "+name)
}

func (m message) list(text string) names {
	var parts names
	for _, part := range separator.Split(text, -1) {
		if part = m.restore(part); part != "" && len(parts) < maxNames {
			parts = append(parts, part)
		}
	}
	return parts
}

// plain removes courtesy and punctuation around a request.
func (b *book) plain(text string) string {
	text = strings.Trim(text, " .,;:!?")
	for {
		shorter := b.after.ReplaceAllString(b.before.ReplaceAllString(" "+text, "$1"), "")
		if shorter = strings.Trim(shorter, " .,;:!?"); shorter == "" || shorter == text {
			return text
		}
		text = shorter
	}
}

// refersBack reports whether a request refers to something named before it.
func (w wish) refersBack() bool {
	for _, value := range w.slots {
		if slices.ContainsFunc(texts(value), pronoun.MatchString) {
			return true
		}
	}
	return false
}

func mentions(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

func capitalized(text string) string {
	for i, r := range text {
		if i == 0 {
			return string(unicode.ToUpper(r)) + text[len(string(r)):]
		}
	}
	return text
}
