package turn

import "countersign/chat/stream"

// NoticeKind is the kind of a notice, and the label of its counter.
type NoticeKind string

// The kinds of notices. Retrying is shown while a turn waits for its provider; the others stay in the message.
const (
	Retrying NoticeKind = "retrying"
	// MessagesLeftOut: the oldest messages did not fit into the window and are in no summary.
	MessagesLeftOut NoticeKind = "messages_left_out"
	// MessageCut: the person's message was too long for the window and lost its middle.
	MessageCut NoticeKind = "message_cut"
	// SummaryClipped: a message was too long for the summary that stands for it, and lost its middle.
	SummaryClipped NoticeKind = "summary_clipped"
	// ToolsLeftOut: more tools than a request may have, and no search that finds the others.
	ToolsLeftOut NoticeKind = "tools_left_out"
	// TruncatedByServer: the model server read far less than it was sent.
	TruncatedByServer NoticeKind = "truncated_by_server"
	// ContentWithheld: the provider refuses a part of the conversation, which is no longer sent.
	ContentWithheld NoticeKind = "content_withheld"
	// AnswerIncomplete: the stream of an answer broke, and no attempt completed it.
	AnswerIncomplete NoticeKind = "answer_incomplete"
	// SummaryFailed is counted only: the messages that no summary holds are MessagesLeftOut once they do not fit.
	SummaryFailed NoticeKind = "summary_failed"
)

// NoticeKinds are the kinds of losses that are counted.
var NoticeKinds = []NoticeKind{
	MessagesLeftOut, MessageCut, SummaryClipped, ToolsLeftOut, TruncatedByServer, ContentWithheld, AnswerIncomplete, SummaryFailed,
}

// Notice tells the viewers of a turn about a delay or a loss.
type Notice struct {
	Kind    NoticeKind `json:"kind" enum:"retrying,messages_left_out,message_cut,summary_clipped,tools_left_out,truncated_by_server,content_withheld,answer_incomplete"`
	Message string     `json:"message"`
	// Attempt and RetryAfterSeconds belong to Retrying.
	Attempt           int `json:"attempt,omitempty" doc:"Number of the next attempt, of a notice that is retrying"`
	RetryAfterSeconds int `json:"retryAfterSeconds,omitempty" doc:"The time until the next attempt, of a notice that is retrying"`
}

// chunk is a data part that stays in the message. A later notice of its kind replaces it.
func (n Notice) chunk() string { return stream.Data("notice", string(n.Kind), mustJSON(n)) }
