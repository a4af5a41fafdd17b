import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { sharedChatQuery, type SharedMessage, type SharedTranscript } from "../api/shared";
import { Markdown } from "../markdown/Markdown";
import { describeTool } from "../chat/verbs";
import { Icon } from "../ui/Icon";
import { LocalLink } from "../ui/LocalLink";
import { isMissing } from "../ui/Missing";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { fullTime } from "../ui/time";
import { Trail } from "../ui/Trail";

const route = getRouteApi("/app/shared/$conversationId");

/** A chat of a colleague, to read. */
export function SharedChatPage() {
  const { conversationId } = route.useParams();
  const { data, error, refetch } = useQuery(sharedChatQuery(conversationId));
  const gone = isMissing(error);
  // Content is hidden once sharing has ended.
  const chat = gone ? undefined : data;
  return (
    <Page
      description={chat && `Shared by ${chat.owner.name || "a colleague"}. Read-only.`}
      testId="shared-chat"
      title={chat ? chat.title || "Untitled chat" : "Shared chat"}
      trail={<Trail crumbs={[{ label: "Shared with me", link: { to: "/shared" } }]} />}
    >
      {gone ? (
        <EmptyState title="This chat is not shared with you">
          Its owner may have stopped sharing or deleted it. Ask them for access.
        </EmptyState>
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
      {!chat && !error && <SkeletonRows rows={6} />}
      {chat && <Transcript chat={chat} />}
    </Page>
  );
}

function Transcript({ chat }: { chat: SharedTranscript }) {
  return (
    <section aria-label="Conversation" className="mx-auto flex w-full max-w-3xl flex-col gap-6">
      {chat.messages.map((message) => (
        <MessageView key={message.id} message={message} />
      ))}
      {chat.messages.length === 0 && !chat.withheld && (
        <p className="text-sm text-muted-foreground">No messages yet.</p>
      )}
      {chat.withheld && (
        <p
          className="flex items-start gap-2.5 rounded-lg bg-muted px-3 py-2.5 text-sm"
          data-testid="shared-withheld"
          role="note"
        >
          <Icon className="mt-0.5 shrink-0" name="key" size={16} />
          {chat.withheld.reason === "rights"
            ? "The rest is hidden: it contains content that you cannot access."
            : "The rest of this long chat is not shown here."}
        </p>
      )}
      {chat.running && !chat.withheld && (
        <p className="text-sm text-muted-foreground" data-testid="shared-running">
          An answer is being written. It appears here when it is complete.
        </p>
      )}
    </section>
  );
}

function MessageView({ message }: { message: SharedMessage }) {
  const own = message.role === "user";
  return (
    <article
      aria-label={own ? "Question" : "Assistant"}
      className={
        own
          ? "max-w-[85%] self-end rounded-2xl rounded-br-md bg-primary-soft px-4 py-2.5"
          : "flex min-w-0 flex-col gap-3"
      }
      data-testid={own ? "shared-question" : "shared-answer"}
      title={fullTime(message.at)}
    >
      {message.pieces.map((piece, index) => {
        // Pieces never move.
        const key = `${message.id} ${index}`;
        if (piece.kind === "text" && !own) return <Markdown key={key} streaming={false} text={piece.text ?? ""} />;
        if (piece.kind === "text" || piece.kind === "question")
          return (
            <p className="wrap-anywhere whitespace-pre-wrap" key={key}>
              {piece.text}
            </p>
          );
        if (piece.kind === "tool")
          return (
            <p className="text-sm text-muted-foreground" key={key}>
              {describeTool(piece.tool ?? "", "done")}
            </p>
          );
        return (
          <p className="w-fit rounded-lg border px-3 py-2 text-sm" key={key}>
            {piece.proposalId ? (
              <LocalLink
                className="underline underline-offset-2"
                href={`/proposals?${new URLSearchParams({ proposal: piece.proposalId })}`}
              >
                Change proposed: open it
              </LocalLink>
            ) : (
              "Change proposed, which you cannot decide"
            )}
          </p>
        );
      })}
    </article>
  );
}
