import type { WidgetProps } from "@rjsf/utils";
import { lazy, Suspense, useRef, type ComponentProps, type Ref } from "react";
import { loaded } from "../../api/reach";
import { Checkbox, control } from "../../ui/Field";
import { Skeleton } from "../../ui/Notice";
import { useDescription, type FormSurroundings } from "./context";
import { languageOf, type Schema } from "./schema";

// The editor is larger than the rest of the application.
const CodeField = lazy(() => loaded(() => import("./CodeField")));

const surroundings = (props: WidgetProps) => props.registry.formContext as FormSurroundings;

/** A text, a number, a reference to a secret, a text with references, or code: the schema says which. */
export function TextWidget(props: WidgetProps) {
  const schema = props.schema as Schema;
  const language = languageOf(schema);
  if (language) {
    const { declarations, name } = surroundings(props);
    return (
      <Suspense fallback={<Skeleton className="h-72 w-full" />}>
        <CodeField
          declarations={declarations}
          id={props.id}
          label={props.label}
          language={language}
          name={`${name}.${props.id}`}
          onChange={(text) => props.onChange(text === "" ? undefined : text)}
          value={typeof props.value === "string" ? props.value : ""}
        />
      </Suspense>
    );
  }
  if (schema["x-secret"]) return <SecretWidget {...props} />;
  if (schema["x-template"]) return <TemplateWidget {...props} />;
  const numeric = schema.type === "number" || schema.type === "integer";
  return <Input {...props} inputMode={numeric ? "decimal" : undefined} />;
}

type Typed = HTMLInputElement & HTMLTextAreaElement;

/** One line, or some where the schema wants an editor without a language. */
function Input({
  inputMode,
  mono,
  input,
  ...props
}: WidgetProps & { inputMode?: ComponentProps<"input">["inputMode"]; mono?: boolean; input?: Ref<Typed> }) {
  const described = useDescription();
  const { default: standard } = props.schema;
  const shared = {
    ...described,
    id: props.id,
    name: props.id,
    onChange: (event: { currentTarget: { value: string } }) =>
      props.onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value),
    placeholder: standard === undefined || standard === "" ? props.placeholder : String(standard),
    ref: input,
    required: props.required,
    spellCheck: false,
    value: props.value === undefined || props.value === null ? "" : String(props.value),
  };
  const look = `${control} ${mono ? "font-mono text-[0.8125rem]" : ""}`;
  if ((props.schema as Schema)["x-editor"] === "text")
    return <textarea {...shared} className={`${look} font-mono text-[0.8125rem]`} rows={4} />;
  return <input {...shared} className={look} inputMode={inputMode} />;
}

/** Below a text, a list of what can be put into it at the cursor. */
function Insertable({
  choices,
  prompt,
  wrap,
  ...props
}: WidgetProps & { choices: readonly string[]; prompt: string; wrap: (name: string) => string }) {
  const input = useRef<Typed>(null);
  const insert = (name: string) => {
    const element = input.current;
    const text = typeof props.value === "string" ? props.value : "";
    const start = element?.selectionStart ?? text.length;
    const end = element?.selectionEnd ?? text.length;
    props.onChange(text.slice(0, start) + wrap(name) + text.slice(end));
    element?.focus();
  };
  return (
    <div className="flex min-w-0 flex-col gap-1 sm:flex-row">
      <Input {...props} input={input} mono />
      {choices.length > 0 && (
        <select
          aria-label={`${prompt} into ${props.label}`}
          className="max-w-full shrink-0 rounded-lg border border-input bg-card px-2 py-2 text-sm sm:w-40"
          onChange={(event) => insert(event.currentTarget.value)}
          value=""
        >
          <option value="">{prompt}…</option>
          {choices.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** Secrets stay in the vault: the check holds their names. */
function SecretWidget(props: WidgetProps) {
  const { secrets } = surroundings(props);
  const schema = props.schema as Schema;
  const value = typeof props.value === "string" ? props.value : "";
  const plain = value !== "" && !value.includes("${{") && !schema["x-literal"];
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <Insertable
        {...props}
        choices={secrets ?? []}
        placeholder="${{ secrets.NAME }}"
        prompt="Secret"
        wrap={(name) => `\${{ secrets.${name} }}`}
      />
      {plain && (
        <p className="text-xs text-warning">
          {"This would be stored as it stands. Keep it in the vault and refer to it as ${{ secrets.NAME }}."}
        </p>
      )}
    </div>
  );
}

/** Values that differ by system are references instead of text. */
function TemplateWidget(props: WidgetProps) {
  const { references } = surroundings(props);
  return <Insertable {...props} choices={references} prompt="Insert" wrap={(name) => `{{ ${name} }}`} />;
}

export function CheckboxWidget(props: WidgetProps) {
  const described = useDescription();
  return (
    <Checkbox
      {...described}
      checked={(props.value ?? props.schema.default ?? false) === true}
      hint={props.schema.description}
      label={props.label}
      name={props.id}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}

export function SelectWidget(props: WidgetProps) {
  const described = useDescription();
  const options = props.options.enumOptions ?? [];
  const { default: standard } = props.schema;
  return (
    <select
      {...described}
      className={control}
      id={props.id}
      name={props.id}
      onChange={(event) => {
        const index = Number(event.currentTarget.value);
        props.onChange(index < 0 ? undefined : options[index]?.value);
      }}
      required={props.required}
      value={options.findIndex(({ value }) => value === props.value)}
    >
      {(!props.required || props.value === undefined) && (
        <option value={-1}>{standard === undefined ? "Not chosen" : `${String(standard)} (unless chosen)`}</option>
      )}
      {options.map(({ label }, index) => (
        <option key={label} value={index}>
          {label}
        </option>
      ))}
    </select>
  );
}
