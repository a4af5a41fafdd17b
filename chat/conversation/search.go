package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/chat/conversation/conversationdb"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/internal/text/search"
)

const (
	// maxTerms bounds the words of a search.
	maxTerms = 8
	// maxMatches bounds the messages of a search; an owner of more matching messages does not get all of them.
	maxMatches = 20_000
	// maxCompared bounds the words that typo tolerance compares with a word without results.
	maxCompared = 50_000
	// leastCorrected is the minimum length of a corrected word: shorter words are near too many others.
	leastCorrected = 4
)

// Hit is a conversation with matches in its title or in one of its messages.
type Hit struct {
	Conversation Conversation `json:"conversation"`
	Messages     int64        `json:"messages" doc:"In how many messages all of the words are; 0 when they are in the title"`
	Message      *HitMessage  `json:"message,omitempty" doc:"The latest of these messages"`
}

// HitMessage is the matching message of a conversation.
type HitMessage struct {
	ID        string    `json:"id"`
	Role      string    `json:"role" enum:"user,assistant"`
	CreatedAt time.Time `json:"createdAt"`
	Snippet   []Piece   `json:"snippet" nullable:"false" doc:"What stands around the first of the words"`
}

// Found is the result of a search.
type Found struct {
	Hits []Hit `json:"hits" nullable:"false"`
	// Corrected are the searched words after typo correction, when the original ones had no results.
	Corrected string `json:"corrected,omitempty" doc:"The words that were looked for instead, when nothing was found for those of the query"`
	rest.Next
}

// Search returns a page of p's conversations, archived ones included, that have all words of a query in their title or
// in one message, the latest first. Words match by prefix. Without results it searches for similar words of p's latest
// chats (typo tolerance). Replaced or erased messages are not searched.
func (s *Service) Search(ctx context.Context, p principal.Principal, query string, page rest.Page) (Found, error) {
	none := Found{Hits: []Hit{}}
	after, err := cursorOf(page)
	if err != nil {
		return none, err
	}
	words, err := s.queries(ctx).Terms(ctx, conversationdb.TermsParams{OwnerID: p.ID, LookedFor: query})
	if err != nil {
		return none, fmt.Errorf("read words of a search: %w", err)
	}
	if len(words) == 0 {
		return none, nil
	}
	terms, mark := distinct(words), words[0].Mark
	found, err := s.search(ctx, p, mark, terms, after, page)
	if err != nil || len(found.Hits) > 0 {
		return found, err
	}
	corrected, err := s.corrected(ctx, p, terms)
	if err != nil || slices.Equal(corrected, terms) {
		return found, err
	}
	again, err := s.search(ctx, p, mark, corrected, after, page)
	if err != nil || len(again.Hits) == 0 {
		return found, err
	}
	again.Corrected = strings.Join(corrected, " ")
	return again, nil
}

func (s *Service) search(
	ctx context.Context,
	p principal.Principal,
	mark string,
	terms []string,
	after rest.Moment,
	page rest.Page,
) (Found, error) {
	found := Found{Hits: []Hit{}}
	// The access path depends on how frequent the words are.
	rows, err := conversationdb.New(s.db.CustomPlans(ctx)).SearchConversations(ctx, conversationdb.SearchConversationsParams{
		Query: wordQuery(mark, terms), Terms: terms, OwnerID: p.ID, MostMessages: maxMatches, Before: after.At, After: after.ID, Max: page.Rows(),
	})
	if err != nil {
		return found, fmt.Errorf("search conversations: %w", err)
	}
	for _, row := range rows {
		hit := Hit{Conversation: of(row.AiConversation, nil), Messages: row.Messages}
		if row.MessageID != "" {
			hit.Message = &HitMessage{ID: row.MessageID, Role: row.Role, CreatedAt: row.SaidAt, Snippet: snippet(row.Content, terms)}
		}
		found.Hits = append(found.Hits, hit)
	}
	found.Hits, found.Next = rest.Cut(
		page,
		found.Hits,
		func(h Hit) string { return rest.Moment{At: h.Conversation.UpdatedAt, ID: h.Conversation.ID}.String() },
	)
	return found, nil
}

// corrected replaces each term by the most similar word of p's latest chats.
func (s *Service) corrected(ctx context.Context, p principal.Principal, terms []string) ([]string, error) {
	corrected := slices.Clone(terms)
	for i, term := range terms {
		if len(term) < leastCorrected {
			continue
		}
		rows, err := s.queries(ctx).RecentWords(ctx, conversationdb.RecentWordsParams{OwnerID: p.ID, Term: term, Most: maxCompared})
		if err != nil {
			return nil, fmt.Errorf("read words of the latest conversations: %w", err)
		}
		known := make([]string, len(rows))
		for j, row := range rows {
			known[j] = row.Word
		}
		if slices.ContainsFunc(known, func(word string) bool { return strings.HasPrefix(word, term) }) {
			continue
		}
		if near := search.Nearest(term, known); near != "" {
			corrected[i] = near
		}
	}
	return corrected, nil
}

// distinct returns the first few terms, each once.
func distinct(words []conversationdb.TermsRow) []string {
	var kept []string
	for _, word := range words {
		if len(kept) < maxTerms && !slices.Contains(kept, word.Term) {
			kept = append(kept, word.Term)
		}
	}
	return kept
}

// wordQuery is the tsquery for messages with words that start with all of these terms, for the owner with this mark. No
// term holds a character that is special in it.
func wordQuery(mark string, terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = "'" + mark + term + "':*"
	}
	return strings.Join(quoted, " & ")
}
