import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ConversationDraft, ConversationSummary, PermissionMode } from "../api/conversations";
import { integrationsQuery, selectableModels, type Integration } from "../api/integrations";
import { Badge } from "../ui/Badge";

export type ChatSettings = Pick<ConversationSummary, "connectionId" | "model" | "permissionMode">;

interface PanelHeaderProps {
  title: string;
  settings: ChatSettings;
  onChange: (changes: ConversationDraft) => void;
  /** What can be done with the chat as a whole. */
  actions?: ReactNode;
}

const select =
  "max-w-24 truncate sm:max-w-44 rounded-lg border border-transparent bg-transparent py-1 pr-1 pl-2 text-sm text-muted-foreground hover:border-input hover:text-foreground";

/** The title of the chat with the pickers for what answers and how far it may go. */
export function PanelHeader({ title, settings, onChange, actions }: PanelHeaderProps) {
  const { data: integrations } = useQuery(integrationsQuery);
  const integration = chosenIntegration(integrations, settings.connectionId);
  const models = integration ? selectableModels(integration) : [];
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-x-1.5 gap-y-1 border-b px-2 py-1 sm:min-h-13 sm:gap-x-2 sm:px-6 sm:py-2 xl:flex-nowrap">
      <h1 className="mr-auto min-w-0 truncate text-sm font-semibold max-sm:sr-only" data-testid="chat-title">
        {title}
      </h1>
      {integration?.kind === "demo" && (
        <span data-testid="demo-label">
          <Badge title="Answers follow a script. Connect a real model under Administration." tone="warning">
            <span className="sm:hidden">Demo</span>
            <span className="max-sm:hidden">Demo model (scripted, no AI)</span>
          </Badge>
        </span>
      )}
      {integrations && integrations.length > 1 && (
        <select
          aria-label="Connection"
          className={select}
          data-testid="connection-picker"
          onChange={(event) => {
            const chosen = chosenIntegration(integrations, event.currentTarget.value);
            if (chosen) onChange({ connectionId: chosen.connectionId, model: chosen.defaultModel });
          }}
          value={integration?.connectionId ?? ""}
        >
          {integrations.map((option) => (
            <option key={option.connectionId} value={option.connectionId}>
              {option.name}
            </option>
          ))}
        </select>
      )}
      {integration && (
        <select
          aria-label="Model"
          className={select}
          data-testid="model-picker"
          onChange={(event) => onChange({ model: event.currentTarget.value })}
          value={chosenModel(integration, settings.model)}
        >
          {models.map((model) => (
            <option key={model}>{model}</option>
          ))}
        </select>
      )}
      <ModePicker mode={settings.permissionMode} onChange={(permissionMode) => onChange({ permissionMode })} />
      {actions}
    </header>
  );
}

const modes: { value: PermissionMode; label: string; hint: string }[] = [
  { value: "approve", label: "Approve", hint: "Every change waits for you" },
  { value: "auto", label: "Auto", hint: "Changes are applied without asking; destructive ones still ask" },
];

function ModePicker({ mode, onChange }: { mode: PermissionMode; onChange: (mode: PermissionMode) => void }) {
  return (
    <fieldset className="flex shrink-0 rounded-lg bg-muted p-0.5" data-testid="mode-picker">
      <legend className="sr-only">Permission mode</legend>
      {modes.map((option) => (
        <label
          className="rounded-md px-2.5 py-0.5 text-sm text-muted-foreground has-checked:bg-card dark:has-checked:bg-input has-checked:font-medium has-checked:text-foreground has-checked:shadow-raised has-focus-visible:outline-2 has-focus-visible:outline-primary"
          key={option.value}
          title={option.hint}
        >
          <input
            checked={mode === option.value}
            className="sr-only"
            name="permission-mode"
            onChange={() => onChange(option.value)}
            type="radio"
            value={option.value}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

/** The stored connection, or the first one when it is gone or was never chosen. */
export function chosenIntegration(integrations: Integration[] | undefined, connectionId: string | null) {
  return integrations?.find((integration) => integration.connectionId === connectionId) ?? integrations?.[0];
}

export function chosenModel(integration: Integration, model: string | null): string {
  return model && selectableModels(integration).includes(model) ? model : integration.defaultModel;
}
