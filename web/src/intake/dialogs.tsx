import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { alertSourcesQuery, rotateAlertSource, tryAlertSource, type AlertSource } from "../api/intake";
import { useWrite } from "../api/write";
import { severityLabels } from "../incidents/words";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { useCopied } from "../ui/copied";
import { ConfirmDialog, Dialog } from "../ui/Dialog";
import { Checkbox, TextArea } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";

/** An address and a secret that cannot be read again. */
export interface Once {
  name: string;
  url?: string;
  secret?: string;
}

/** Shows the address and the secret of a source, this once. */
export function ShownOnce({ shown, onClose }: { shown: Once; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} stays testId="source-secret" title={`Address and secret of ${shown.name}`}>
      <p className="text-sm text-muted-foreground">Copy them to the sender now. They are shown this once.</p>
      {shown.url && <Copied label="Address" text={shown.url} />}
      {shown.secret && <Copied label="Secret" text={shown.secret} />}
      <div className="mt-4 flex justify-end">
        <Button data-first="" onClick={onClose} variant="primary">
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function Copied({ label, text }: { label: string; text: string }) {
  const { copied, copy } = useCopied();
  return (
    <div className="mt-3 flex flex-col gap-1">
      <span className="text-sm font-medium">{label}</span>
      <div className="flex items-start gap-2">
        <code className="min-w-0 grow rounded-lg border bg-muted p-3 font-mono text-xs break-all select-all">
          {text}
        </code>
        <Button
          aria-label={`Copy the ${label.toLowerCase()}`}
          icon={copied ? "check" : "copy"}
          onClick={() => copy(text)}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
    </div>
  );
}

interface RotateDialogProps {
  source: AlertSource;
  onReplaced: (replaced: Once) => void;
  onClose: () => void;
}

/** Replaces the secret of a source; CloudWatch has none, so its address is replaced. */
export function RotateDialog({ source, onReplaced, onClose }: RotateDialogProps) {
  const onlyAddress = source.kind === "cloudwatch";
  const [atOnce, setAtOnce] = useState(false);
  const [address, setAddress] = useState(onlyAddress);
  const rotate = useWrite({
    send: (body: { atOnce: boolean; address: boolean }, key: string) => rotateAlertSource(source, body, key),
    invalidates: [alertSourcesQuery.queryKey],
    onSuccess: onReplaced,
  });
  return (
    <ConfirmDialog
      busy={rotate.isPending}
      confirmLabel="Replace"
      error={rotate.error}
      onClose={onClose}
      onConfirm={() => rotate.mutate({ atOnce, address })}
      title={`Replace the ${onlyAddress ? "address" : "secret"} of ${source.name}?`}
    >
      {onlyAddress ? (
        <p>The old address stops working at once. Subscribe the new one to the topic.</p>
      ) : (
        <div className="flex flex-col gap-3">
          <p>The old secret works for 24 hours more.</p>
          <Checkbox
            checked={atOnce}
            label="End the old secret at once"
            onChange={(event) => setAtOnce(event.currentTarget.checked)}
          />
          <Checkbox
            checked={address}
            label="Replace the address too; the old one ends at once"
            onChange={(event) => setAddress(event.currentTarget.checked)}
          />
        </div>
      )}
    </ConfirmDialog>
  );
}

/** Says what would follow from a payload. */
export function TryDialog({ source, onClose }: { source: AlertSource; onClose: () => void }) {
  const [payload, setPayload] = useState("");
  const tried = useMutation({ mutationFn: () => tryAlertSource(source, payload) });
  return (
    <Dialog onClose={onClose} testId="try-payload" title={`Try a payload of ${source.name}`} wide>
      <div className="flex flex-col gap-4">
        <TextArea
          hint="Leave empty for an example. Nothing is stored."
          label="Payload"
          onChange={(event) => setPayload(event.currentTarget.value)}
          rows={8}
          spellCheck={false}
          value={payload}
        />
        <ErrorNotice error={tried.error} />
        {tried.data && (
          <ul aria-label="Alerts" className="divide-y rounded-lg border text-sm">
            {tried.data.note && <li className="px-3 py-2">{tried.data.note}</li>}
            {tried.data.alerts.map((alert) => (
              <li className="flex flex-col gap-1 px-3 py-2" key={JSON.stringify(alert.labels)}>
                <p className="wrap-anywhere">
                  {alert.title}{" "}
                  <Badge tone={alert.firing ? "danger" : "success"}>{alert.firing ? "firing" : "resolved"}</Badge>{" "}
                  <Badge>{severityLabels[alert.severity]}</Badge>
                </p>
                <p className="text-xs text-muted-foreground">
                  Incident {alert.incident} ·{" "}
                  {alert.systems.map(({ name }) => name ?? "a system that you cannot see").join(", ")}
                </p>
              </li>
            ))}
          </ul>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button busy={tried.isPending} onClick={() => tried.mutate()} variant="primary">
            Try
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
