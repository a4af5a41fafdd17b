import { useState } from "react";
import { useController, type Control } from "react-hook-form";
import type { AccessRule } from "../api/people";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Field";
import { SearchField } from "../ui/SearchField";
import { byModule, hasWords } from "./modulewords";

interface RulesFieldProps {
  // The output type of the form does not matter to a field.
  // oxlint-disable-next-line typescript/no-explicit-any
  control: Control<{ name: string; rules: string[] }, any, any>;
  /** Undefined while they are read. */
  rules: readonly AccessRule[] | undefined;
}

/** The access rules of a role, in groups by the part of the product that they open. */
export function RulesField({ control, rules }: RulesFieldProps) {
  const { field, fieldState } = useController({ control, name: "rules" });
  const [search, setSearch] = useState("");
  const held = new Set<string>(field.value);
  const set = (ids: string[], chosen: boolean) => {
    const next = new Set(held);
    for (const id of ids)
      if (chosen) next.add(id);
      else next.delete(id);
    field.onChange([...next].toSorted());
  };
  const shown = byModule(
    (rules ?? []).filter(({ id, description }) => hasWords(`${id} ${description}`, search)),
    ({ id }) => id,
  );
  return (
    <fieldset className="flex flex-col gap-2" name="rules">
      <legend className="mb-1 text-sm font-medium">
        Access rules{" "}
        <span className="font-normal text-muted-foreground" data-testid="rules-chosen">
          {rules ? `${held.size} of ${rules.length} chosen` : "Loading…"}
        </span>
      </legend>
      <SearchField
        label="Search access rules"
        onSearch={setSearch}
        placeholder="Search: delete, catalog, secrets…"
        value={search}
      />
      <div
        aria-label="Access rules"
        className="flex max-h-80 flex-col gap-4 overflow-y-auto rounded-lg border p-3"
        role="region"
        // Keyboard users scroll it with the arrow keys.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {rules && shown.length === 0 && <p className="text-sm text-muted-foreground">No matching access rules.</p>}
        {shown.map(({ module, title, items }) => {
          const ids = items.map(({ id }) => id);
          const chosen = ids.filter((id) => held.has(id)).length;
          return (
            <section aria-label={title} className="flex flex-col gap-2" data-testid={`rules-${module}`} key={module}>
              <div className="flex flex-wrap items-center justify-between gap-2">
                <h3 className="text-sm font-semibold">
                  {title}{" "}
                  <span className="font-normal text-muted-foreground">
                    {chosen} of {ids.length}
                  </span>
                </h3>
                <Button
                  aria-label={`${chosen === ids.length ? "Choose none" : "Choose all"} of ${title}`}
                  onClick={() => set(ids, chosen < ids.length)}
                >
                  {chosen === ids.length ? "None" : "All"}
                </Button>
              </div>
              {items.map(({ id, description }) => (
                <Checkbox
                  checked={held.has(id)}
                  hint={description}
                  key={id}
                  label={id}
                  onChange={(event) => set([id], event.currentTarget.checked)}
                  value={id}
                />
              ))}
            </section>
          );
        })}
      </div>
      {fieldState.error && <p className="text-xs text-danger">{fieldState.error.message}</p>}
    </fieldset>
  );
}
