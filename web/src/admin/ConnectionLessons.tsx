import { connectionsQuery, updateConnection, type Connection } from "../api/connections";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** The button is gone with what it has made forgotten; the keyboard goes on where it was. */
const takeFocus = (element: HTMLElement | null) => element?.focus();

/** Limits learned from refusals of the provider. After a reset, the next refusal teaches them again. */
export function ConnectionLessons({ connection }: { connection: Connection }) {
  const toast = useToast();
  const forget = useWrite({
    send: (one: Connection, key) => updateConnection(one, { forgetLessons: true }, key),
    invalidates: [connectionsQuery.queryKey],
    onSuccess: () => toast(`What ${connection.name} has taught was forgotten`),
  });
  const { lessons } = connection;
  if (lessons.length === 0 && !forget.isSuccess) return null;
  if (lessons.length === 0) {
    return (
      <p className="mt-2 text-xs text-muted-foreground" ref={takeFocus} tabIndex={-1}>
        Forgotten. What the provider refuses teaches it anew.
      </p>
    );
  }
  return (
    <section aria-label={`What ${connection.name} has taught`} className="mt-2 text-xs text-muted-foreground">
      <p className="mb-0.5">Taught by what the provider has refused:</p>
      <ul className="list-disc space-y-0.5 pl-4" data-testid="connection-lessons">
        {lessons.map(({ model, lesson, says }) => (
          <li className="wrap-anywhere" key={`${model} ${lesson}`}>
            {says} ({model})
          </li>
        ))}
      </ul>
      <Button busy={forget.isPending} className="mt-1" onClick={() => forget.mutate(connection)}>
        Forget what it has taught
      </Button>
      <ErrorNotice className="mt-2" error={forget.error} />
    </section>
  );
}
