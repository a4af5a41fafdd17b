import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ConversationDraft, ConversationSummary, PermissionMode } from "../api/conversations";
import { integrationsQuery, selectableModels, type Integration } from "../api/integrations";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";

export type ChatSettings = Pick<ConversationSummary, "connectionId" | "model" | "permissionMode">;

interface PanelHeaderProps {
  title: string;
  settings: ChatSettings;
  onChange: (changes: ConversationDraft) => void;
  /** Actions on the whole chat. */
  actions?: ReactNode;
}

/** The title of the chat with the pickers for what answers and how far it may go. */
export function PanelHeader({ title, settings, onChange, actions }: PanelHeaderProps) {
  const { data: integrations } = useQuery(integrationsQuery);
  const integration = chosenIntegration(integrations, settings.connectionId);
  const models = integration ? selectableModels(integration) : [];
  const several = integrations !== undefined && integrations.length > 1;
  return (
    <header
      className={
        "flex min-h-11 flex-wrap items-center gap-x-1.5 gap-y-1 border-b px-2 py-1 sm:min-h-13 sm:gap-x-2 " +
        "sm:px-6 sm:py-2 xl:flex-nowrap"
      }
    >
      <h1 className="mr-auto min-w-0 truncate text-sm font-semibold max-sm:sr-only" data-testid="chat-title">
        {title}
      </h1>
      {integration?.kind === "demo" && (
        <span data-testid="demo-label">
          <Badge title="Answers follow a script. Connect a real model under Administration." tone="warning">
            {/* The picker beside it has the whole name, and the title needs the room. */}
            <span className={several ? "" : "sm:hidden"}>Demo</span>
            {!several && <span className="max-sm:hidden">Demo model (scripted, no AI)</span>}
          </Badge>
        </span>
      )}
      {several && (
        <Picker
          label="Connection"
          onPick={(id) => {
            const chosen = chosenIntegration(integrations, id);
            if (chosen) onChange({ connectionId: chosen.connectionId, model: chosen.defaultModel });
          }}
          options={integrations.map((option) => ({ value: option.connectionId, name: option.name }))}
          testId="connection-picker"
          value={integration?.connectionId ?? ""}
        />
      )}
      {integration && (
        <Picker
          label="Model"
          onPick={(model) => onChange({ model })}
          options={models.map((model) => ({ value: model, name: model }))}
          testId="model-picker"
          value={chosenModel(integration, settings.model)}
        />
      )}
      <ModePicker mode={settings.permissionMode} onChange={(permissionMode) => onChange({ permissionMode })} />
      {actions}
    </header>
  );
}

interface PickerProps {
  label: string;
  options: { value: string; name: string }[];
  value: string;
  onPick: (value: string) => void;
  testId: string;
}

/** How much of the end of a name always stands there: models differ in their versions. */
const endLength = 10;

/**
 * A list to pick from, with the name that is picked. Where it is too long its middle is left out, which a list of the browser cannot
 * do, so this one lies unseen above the name; what is read aloud and what is picked from are whole names.
 */
export function Picker({ label, options, value, onPick, testId }: PickerProps) {
  const name = options.find((option) => option.value === value)?.name ?? "";
  const letters = [...name];
  return (
    <span
      className={
        "relative inline-flex max-w-40 shrink-0 items-center rounded-lg border border-transparent py-1 pr-1 " +
        "pl-2 text-sm text-muted-foreground hover:border-input hover:text-foreground " +
        "has-focus-visible:outline-2 has-focus-visible:outline-primary sm:max-w-56"
      }
      title={name}
    >
      <span aria-hidden="true" className="flex min-w-0" data-testid={`${testId}-name`}>
        <span className="truncate whitespace-pre">{letters.slice(0, -endLength).join("")}</span>
        <span className="shrink-0 whitespace-pre">{letters.slice(-endLength).join("")}</span>
      </span>
      <Icon className="ml-0.5 shrink-0 rotate-90" name="chevron" size={14} />
      <select
        aria-label={label}
        className="absolute inset-0 w-full cursor-pointer opacity-0"
        data-testid={testId}
        onChange={(event) => onPick(event.currentTarget.value)}
        value={value}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </span>
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
          className={
            "rounded-md px-2.5 py-0.5 text-sm text-muted-foreground has-checked:bg-card " +
            "dark:has-checked:bg-input has-checked:font-medium has-checked:text-foreground " +
            "has-checked:shadow-raised has-focus-visible:outline-2 has-focus-visible:outline-primary"
          }
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
