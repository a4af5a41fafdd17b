import { useQuery } from "@tanstack/react-query";
import { holds, meQuery } from "../api/session";
import { Mark } from "../ui/Icon";

const change = "Add a system called Payments API owned by the platform team";
/** For who makes no systems. */
const look = "Which systems are unhealthy?";
const prompts = [
  "Which systems do we have, and who owns them?",
  "How does propose and apply work?",
  "Is https://example.com reachable?",
];

/** Content of an empty chat: the idea in a sentence and examples to click. */
export function Examples({ onPick, disabled }: { onPick: (prompt: string) => void; disabled: boolean }) {
  const { data: me } = useQuery(meQuery);
  const first = holds(me, "catalog.system.manage") ? change : look;
  return (
    <div
      className="m-auto flex w-full max-w-xl flex-col items-center gap-6 px-4 py-10 text-center"
      data-testid="chat-empty"
    >
      <Mark size={44} />
      <div>
        <h2 className="text-xl font-semibold tracking-tight">What should we look at?</h2>
        <p className="mt-1 text-muted-foreground">
          The assistant looks things up on its own. What it wants to change, it proposes, and you countersign.
        </p>
      </div>
      <ul className="grid w-full gap-2 sm:grid-cols-2">
        {[first, ...prompts].map((prompt) => (
          <li key={prompt}>
            <button
              className={
                "h-full w-full rounded-xl border bg-card px-4 py-3 text-left text-sm shadow-raised transition-colors " +
                "hover:border-primary disabled:opacity-50"
              }
              data-testid="example-prompt"
              disabled={disabled}
              onClick={() => onPick(prompt)}
              type="button"
            >
              {prompt}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
