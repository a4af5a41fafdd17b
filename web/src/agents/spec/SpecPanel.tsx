import { useState, type ReactNode } from "react";
import type { Spec } from "../../api/agents";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Page";
import type { BundlePanelProps } from "../tools/ToolsPanel";
import { SpecForm } from "./SpecForm";

/** Which secrets the tools may use and where these may go, what holds for single tools, and how long a call may take. */
export function SpecPanel({ agent, bundle, writable }: BundlePanelProps) {
  const [editing, setEditing] = useState(false);
  const { spec } = bundle.bundle;
  const secrets = spec.secrets ?? [];
  const settings = Object.entries(spec.tools ?? {});
  return (
    <Panel
      actions={
        writable && (
          <Button data-testid="edit-spec" icon="pencil" onClick={() => setEditing(true)} variant="quiet">
            Edit
          </Button>
        )
      }
      title="Secrets and limits"
    >
      <div className="flex flex-col gap-5 text-sm" data-testid="spec">
        <Part title="Secrets">
          {secrets.length === 0 ? (
            <p className="text-muted-foreground">Its tools use no secrets.</p>
          ) : (
            <ul className="divide-y rounded-lg border">
              {secrets.map(({ name, allowed_hosts }) => (
                <li className="flex flex-wrap items-baseline gap-x-3 px-3 py-2" key={name}>
                  <code className="font-mono font-medium wrap-anywhere">{name}</code>
                  <span className="text-muted-foreground wrap-anywhere">may go to {allowed_hosts.join(", ")}</span>
                </li>
              ))}
            </ul>
          )}
        </Part>
        <Part title="Individual tools">
          {settings.length === 0 ? (
            <p className="text-muted-foreground">No tool has special settings.</p>
          ) : (
            <ul className="divide-y rounded-lg border">
              {settings.map(([id, setting]) => (
                <li className="flex flex-wrap items-center gap-2 px-3 py-2" key={id}>
                  <code className="font-mono font-medium wrap-anywhere">{id}</code>
                  {wordsOf(setting).map((words) => (
                    <Badge key={words}>{words}</Badge>
                  ))}
                </li>
              ))}
            </ul>
          )}
        </Part>
        <Part title="Limits">
          <p className="text-muted-foreground">
            {spec.limits?.timeout_ms
              ? `A call may take ${spec.limits.timeout_ms / 1_000} s.`
              : "A call may take 10 s (default)."}
          </p>
        </Part>
      </div>
      {editing && <SpecForm agent={agent} bundle={bundle} onClose={() => setEditing(false)} />}
    </Panel>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="font-medium">{title}</h3>
      {children}
    </section>
  );
}

function wordsOf(setting: NonNullable<Spec["tools"]>[string]): string[] {
  return [
    setting.requires_identity && "only people may call it",
    setting.requires_approval && "asks before each call",
    setting.read_with_secrets && "read-only although it can reach secrets",
    setting.allow_dynamic_secret_refs && "gets all secrets of the agent",
  ].filter((words) => typeof words === "string" && words !== "") as string[];
}
