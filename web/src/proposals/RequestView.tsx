import type { ReactNode } from "react";
import { Markdown } from "../markdown/Markdown";
import type { Proposal } from "../api/proposals";

/**
 * What led to a proposal of a chat. A second person decides by it: what the person wrote is shown as they wrote it, and the part
 * of the model as in a chat, where nothing of it is fetched or run.
 */
export function RequestView({ proposal, me }: { proposal: Proposal; me: string | undefined }) {
  const { request } = proposal;
  if (!request) return null;
  const mine = proposal.proposer?.id === me;
  return (
    <details className="rounded-lg border px-3 py-2 text-sm" data-testid="proposal-request" open={!mine}>
      <summary className="cursor-pointer text-muted-foreground">
        {mine ? "Shown to the second person" : "Context from the chat"}
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        {request.message && <Said by={`${proposal.proposer.name} asked`}>{request.message}</Said>}
        {request.answer && (
          <Said by="The assistant said" drawn>
            <Markdown streaming={false} text={request.answer} />
          </Said>
        )}
      </div>
    </details>
  );
}

function Said({ by, drawn, children }: { by: string; drawn?: boolean; children: ReactNode }) {
  return (
    <figure>
      <figcaption className="text-xs text-muted-foreground">{by}</figcaption>
      {/* Scrolls, so that a keyboard has to reach it. */}
      <blockquote
        aria-label={by}
        className={`max-h-60 overflow-auto border-l-2 pl-2 wrap-anywhere ${drawn ? "" : "whitespace-pre-wrap"}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {children}
      </blockquote>
    </figure>
  );
}
