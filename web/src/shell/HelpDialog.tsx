import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { settingsQuery } from "../api/session";
import { Dialog } from "../ui/Dialog";
import { shortcuts } from "./shortcutlist";

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { data: settings } = useQuery(settingsQuery);
  return (
    <Dialog onClose={onClose} testId="help-dialog" title="Help">
      <p className="text-sm text-muted-foreground">
        Ask in the chat. The assistant reads on its own; every change becomes a card that waits for approval.
      </p>
      <p className="mt-2 text-sm">
        <Link
          className="text-primary underline underline-offset-4"
          data-testid="help-docs"
          onClick={onClose}
          search={{}}
          to="/docs"
        >
          Read the documentation
        </Link>
      </p>
      <h3 className="mt-4 mb-1 text-sm font-semibold">Keyboard</h3>
      <dl className="divide-y text-sm">
        {shortcuts.map(({ keys, does }) => (
          <div className="flex items-center justify-between gap-4 py-1.5" key={keys}>
            <dt>{does}</dt>
            <dd className="flex gap-1">
              {keys.split(" ").map((key) => (
                <kbd className="rounded border bg-muted px-1.5 font-mono text-xs leading-5" key={key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      {settings && (
        <p className="mt-4 flex justify-between text-xs text-muted-foreground">
          <span>Countersign {settings.version}</span>
          {settings.temporalUiUrl && (
            <a className="underline underline-offset-2" href={settings.temporalUiUrl} rel="noreferrer" target="_blank">
              Temporal Web UI
            </a>
          )}
        </p>
      )}
    </Dialog>
  );
}
