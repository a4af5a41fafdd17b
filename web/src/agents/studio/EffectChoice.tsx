import { useId } from "react";
import type { Capabilities, Spec, ToolEffect } from "../../api/agents";
import { effects } from "../words";

interface EffectChoiceProps {
  effect: ToolEffect;
  onChange: (effect: ToolEffect) => void;
  capabilities: Capabilities | undefined;
  spec: Spec;
  toolId: string;
  disabled: boolean;
}

/** Effect of a call, as the tool's author declares it. */
export function EffectChoice({ effect, onChange, capabilities, spec, toolId, disabled }: EffectChoiceProps) {
  const name = useId();
  const reaches = capabilities && (capabilities.secret_refs.length > 0 || capabilities.dynamic_secret_refs);
  const permitted = spec.tools?.[toolId]?.read_with_secrets === true;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Effect of a call</legend>
      {(["read", "mutate"] as const).map((value) => (
        <label className="flex items-start gap-2 text-sm" key={value}>
          <input
            checked={effect === value}
            className="mt-0.5 size-4 shrink-0 accent-primary"
            data-testid={`effect-${value}`}
            disabled={disabled}
            name={name}
            onChange={() => onChange(value)}
            type="radio"
          />
          <span className="min-w-0">
            {effects[value].label}
            <span className="block text-xs text-muted-foreground">{effects[value].hint}</span>
          </span>
        </label>
      ))}
      {effect === "read" && reaches && !permitted && (
        <p className="rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning" data-testid="effect-refused">
          A read-only tool that can reach secrets must be allowed under Secrets and limits.
        </p>
      )}
    </fieldset>
  );
}
