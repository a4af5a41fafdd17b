import type { Proposal } from "../api/proposals";

/** What led to a proposal of a chat, as plain text: a second person decides by it, and a model wrote a part of it. */
export function RequestView({ proposal, me }: { proposal: Proposal; me: string | undefined }) {
  const { request } = proposal;
  if (!request) return null;
  const mine = proposal.proposer?.id === me;
  return (
    <details className="rounded-lg border px-3 py-2 text-sm" data-testid="proposal-request" open={!mine}>
      <summary className="cursor-pointer text-muted-foreground">
        {mine ? "What the second person sees of this chat" : "What led to this"}
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        {request.message && <Said by={`${proposal.proposer.name} asked`} text={request.message} />}
        {request.answer && <Said by="The assistant said" text={request.answer} />}
      </div>
    </details>
  );
}

function Said({ by, text }: { by: string; text: string }) {
  return (
    <figure>
      <figcaption className="text-xs text-muted-foreground">{by}</figcaption>
      {/* Scrolls, so that a keyboard has to reach it. */}
      <blockquote
        aria-label={by}
        className="max-h-60 overflow-auto border-l-2 pl-2 whitespace-pre-wrap wrap-anywhere"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {text}
      </blockquote>
    </figure>
  );
}
