import { connectionsQuery, updateConnection, type Connection } from "../api/connections";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

type Figures = Omit<Connection["figures"][number], "model">;

/** Limits and speed in words; empty when nothing is known that a person would act upon. */
function describe({ windowTokens, maxTools, reasoningTokens, prefillTokensPerSecond, slots }: Figures): string {
  const parts = [
    windowTokens && `takes ${windowTokens.toLocaleString("en")} tokens`,
    maxTools && `takes ${maxTools} tools per request`,
    reasoningTokens && `thinks for up to ${reasoningTokens.toLocaleString("en")} tokens`,
    prefillTokensPerSecond && `reads ${Math.round(prefillTokensPerSecond).toLocaleString("en")} tokens per second`,
    slots === 1 && "handles one request at a time",
  ].filter(Boolean);
  return parts.length > 0 ? `This model ${parts.join(", ")}.` : "";
}

/** The button disappears with the cleared lessons, so focus moves to its former place. */
const takeFocus = (element: HTMLElement | null) => element?.focus();

/** Limits learned from refusals of the provider. After a reset, the next refusal teaches them again. */
export function ConnectionLessons({ connection }: { connection: Connection }) {
  const toast = useToast();
  const forget = useWrite({
    send: (one: Connection, key) => updateConnection(one, { forgetLessons: true }, key),
    invalidates: [connectionsQuery.queryKey],
    onSuccess: () => toast(`Learned limits of ${connection.name} were reset`),
  });
  const { lessons } = connection;
  const figures = connection.figures.flatMap(({ model, ...known }) => {
    const says = describe(known);
    return says ? [{ model, says }] : [];
  });
  const nothing = lessons.length + figures.length === 0;
  if (nothing && !forget.isSuccess) return null;
  if (nothing) {
    return (
      <p className="mt-2 text-xs text-muted-foreground" ref={takeFocus} tabIndex={-1}>
        Reset. Limits are learned again from provider errors.
      </p>
    );
  }
  return (
    <section aria-label={`Limits learned from ${connection.name}`} className="mt-2 text-xs text-muted-foreground">
      <p className="mb-0.5">Learned from provider errors and answers:</p>
      <ul className="list-disc space-y-0.5 pl-4" data-testid="connection-lessons">
        {lessons.map(({ model, lesson, says }) => (
          <li className="wrap-anywhere" key={`${model} ${lesson}`}>
            {says} ({model})
          </li>
        ))}
        {figures.map(({ model, says }) => (
          <li className="wrap-anywhere" key={model}>
            {says} ({model})
          </li>
        ))}
      </ul>
      <Button busy={forget.isPending} className="mt-1" onClick={() => forget.mutate(connection)}>
        Reset learned limits
      </Button>
      <ErrorNotice className="mt-2" error={forget.error} />
    </section>
  );
}
