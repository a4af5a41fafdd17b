import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  ObjectFieldTemplateProps,
} from "@rjsf/utils";
import { ADDITIONAL_PROPERTY_FLAG } from "@rjsf/utils";
import { useState } from "react";
import { Button } from "../../ui/Button";
import { control } from "../../ui/Field";
import { IconButton } from "../../ui/IconButton";
import { FieldContext, type FormSurroundings } from "./context";
import { joined } from "./issues";
import { languageOf, splitMembers, type Schema } from "./schema";

const surroundings = (registry: { formContext: unknown }) => registry.formContext as FormSurroundings;

const isComposite = ({ type }: { type?: unknown }) => type === "object" || type === "array";

/** A field with its label above, and its hint or error below. */
export function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, children, hidden, required, schema, registry, fieldPathId, rawDescription } = props;
  const issue = surroundings(registry).issues.get(joined(fieldPathId.path));
  if (hidden) return null;
  const additional = ADDITIONAL_PROPERTY_FLAG in schema;
  const hintId = `${id}-hint`;
  const hint = additional ? undefined : rawDescription || undefined;
  const told = <FieldContext value={{ issue, hint, hintId }}>{children}</FieldContext>;
  if (isComposite(schema) && !additional)
    return (
      <div className="min-w-0" data-path={joined(fieldPathId.path)}>
        {told}
        {issue && <p className="mt-1 text-xs wrap-anywhere text-danger">{issue}</p>}
      </div>
    );
  // An item of a list is labelled by its list.
  const inList = typeof fieldPathId.path.at(-1) === "number";
  const checkbox = schema.type === "boolean";
  return (
    <div className="flex min-w-0 flex-col gap-1" data-path={joined(fieldPathId.path)}>
      {additional && (
        <div className="flex items-center gap-1">
          <input
            aria-label="Name"
            className={`${control} font-mono`}
            defaultValue={label}
            id={`${id}-key`}
            key={label}
            onBlur={props.onKeyRenameBlur}
          />
          <IconButton icon="trash" label={`Remove ${label}`} onClick={props.onRemoveProperty} />
        </div>
      )}
      {!checkbox && !additional && (
        <label className={inList ? "sr-only" : "text-sm font-medium"} htmlFor={id}>
          {label}
          {!required && !inList && <span className="font-normal text-muted-foreground"> (optional)</span>}
        </label>
      )}
      {told}
      {(issue ?? hint) && !checkbox && (
        <p className={`text-xs wrap-anywhere ${issue ? "text-danger" : "text-muted-foreground"}`} id={hintId}>
          {issue ?? hint}
        </p>
      )}
    </div>
  );
}

/** Members below one another; those that one need not know are folded away. */
export function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { schema, properties, fieldPathId, registry, title, formData, onAddProperty } = props;
  const { issues } = surroundings(registry);
  const path = fieldPathId.path;
  const issueAt = (name: string) => {
    const at = joined([...path, name]);
    return [...issues.keys()].some((issue) => issue === at || issue.startsWith(`${at}.`) || issue.startsWith(`${at}[`));
  };
  // Computed once: a field must not move during typing.
  const [split] = useState(() => splitMembers(schema as Schema, (formData ?? {}) as Record<string, unknown>, issueAt));
  const contentOf = (names: readonly string[]) =>
    properties.filter(({ name }) => names.includes(name)).map(({ content }) => content);
  const inRow = typeof path.at(-1) === "number";
  const others = properties.filter(({ name }) => !split.first.includes(name) && !split.more.includes(name));
  const extensible = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  const body = (
    <>
      <div className={inRow ? "grid gap-3 sm:grid-cols-2" : "flex flex-col gap-4"}>
        {contentOf(split.first)}
        {others.map(({ content }) => content)}
      </div>
      {split.more.length > 0 && (
        <details className="rounded-lg border" open={split.more.some(issueAt) || undefined}>
          <summary className="px-3 py-2 text-sm font-medium" data-testid="more-settings">
            More settings ({split.more.length})
          </summary>
          <div className="flex flex-col gap-4 border-t p-3">{contentOf(split.more)}</div>
        </details>
      )}
      {extensible && (
        <Button className="self-start" icon="plus" onClick={onAddProperty}>
          Add
        </Button>
      )}
    </>
  );
  if (path.length === 0 || inRow) return <div className="flex min-w-0 flex-col gap-4">{body}</div>;
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-lg border p-3">
      <legend className="px-1 text-sm font-medium">{title}</legend>
      {schema.description && <p className="-mt-2 text-xs text-muted-foreground">{schema.description}</p>}
      {body}
    </fieldset>
  );
}

export function ArrayFieldTemplate({ title, items, canAdd, onAddClick, schema, required }: ArrayFieldTemplateProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">
        {title}
        {!required && <span className="font-normal text-muted-foreground"> (optional)</span>}
      </legend>
      {schema.description && <p className="-mt-1 text-xs text-muted-foreground">{schema.description}</p>}
      {items}
      {canAdd && (
        <Button className="self-start" icon="plus" onClick={onAddClick}>
          Add to {title.charAt(0).toLowerCase() + title.slice(1)}
        </Button>
      )}
    </fieldset>
  );
}

export function ArrayFieldItemTemplate({ children, buttonsProps, index }: ArrayFieldItemTemplateProps) {
  return (
    <div className="flex min-w-0 items-start gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      {buttonsProps.hasRemove && (
        <IconButton icon="trash" label={`Remove item ${index + 1}`} onClick={buttonsProps.onRemoveItem} />
      )}
    </div>
  );
}

/** Everything about a field stands in its template. */
export function Nothing() {
  return null;
}

export const isCode = (schema: Schema) => languageOf(schema) !== undefined;
