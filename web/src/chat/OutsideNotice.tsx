import { Link } from "@tanstack/react-router";
import { conversationQuery } from "../api/conversations";
import { acceptOutside, type OutsideContent } from "../api/outside";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { describeOutside } from "./outside";

/** Says above the composer why auto mode asks, and lets the person go on. */
export function OutsideNotice({ conversationId, outside }: { conversationId: string; outside: OutsideContent[] }) {
  const accept = useWrite({
    // Content newer than shown here is unseen.
    send: (through: number, key: string) => acceptOutside(conversationId, through, key),
    invalidates: [conversationQuery(conversationId).queryKey],
  });
  const newest = Math.max(...outside.map(({ seq }) => seq));
  return (
    <section
      aria-label="External content"
      className="mb-2 flex flex-col gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="outside-notice"
    >
      <p className="flex items-start gap-2">
        <Icon className="mt-0.5" name="alert" size={16} />
        <span>This chat contains content you did not write, so auto mode asks before every change.</span>
      </p>
      <OutsideList outside={outside} />
      <ErrorNotice error={accept.error} />
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={accept.isPending} data-testid="outside-accept" onClick={() => accept.mutate(newest)}>
          Continue automatically
        </Button>
        <Link className="underline underline-offset-2" to="/chat">
          Start a new chat
        </Link>
      </div>
    </section>
  );
}

const named = 3;

/** Names contents from outside, the latest first. */
export function OutsideList({ outside }: { outside: OutsideContent[] }) {
  const now = useNow(30_000);
  const more = outside.length - named;
  return (
    <ul className="flex flex-col gap-0.5 pl-6" data-testid="outside-list">
      {outside.slice(0, named).map((content) => (
        <li className="wrap-anywhere" key={content.seq}>
          {describeOutside(content)}
          {content.source && (
            <>
              {": "}
              <span className="font-medium">{content.source}</span>
            </>
          )}{" "}
          <time className="text-xs" dateTime={content.at} title={fullTime(content.at)}>
            {timeAgo(content.at, now)}
          </time>
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
