// Not from the index, which also wants the usual validator for tests of its own.
import Form from "@rjsf/core/lib/components/Form.js";
import type { RegistryWidgetsType, TemplatesType, ValidatorType } from "@rjsf/utils";
import { useMemo } from "react";
import type { FormSurroundings } from "./context";
import { formSchema, type Schema } from "./schema";
import { ArrayFieldItemTemplate, ArrayFieldTemplate, FieldTemplate, Nothing, ObjectFieldTemplate } from "./templates";
import { CheckboxWidget, SelectWidget, TextWidget } from "./widgets";

/**
 * The server is the one validator: it says what is wrong by path. The usual one of the library compiles schemas with eval,
 * which the content security policy forbids.
 */
const server: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: (schema, value) => fits(schema as Schema, value),
  rawValidation: () => ({ errors: [] }),
};

/** Whether a value is of one of several forms that a schema allows: told by the members with one possible value. */
function fits(schema: Schema, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const members = value as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).every(([name, inner]) => {
    if (inner.const !== undefined) return members[name] === inner.const;
    return inner.enum === undefined || members[name] === undefined || inner.enum.includes(members[name]);
  });
}

const widgets: RegistryWidgetsType = { TextWidget, TextareaWidget: TextWidget, CheckboxWidget, SelectWidget };

const templates: Partial<TemplatesType> = {
  FieldTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  ErrorListTemplate: Nothing,
  FieldErrorTemplate: Nothing,
  DescriptionFieldTemplate: Nothing,
  FieldHelpTemplate: Nothing,
};

const noDefaults = { emptyObjectFields: "skipDefaults", arrayMinItems: { populate: "never" } } as const;
const noButton = { "ui:submitButtonOptions": { norender: true } };

interface SchemaFormProps extends FormSurroundings {
  schema: Schema;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
}

/** The fields of an object by its JSON schema. */
export default function SchemaForm({ schema, value, onChange, ...surroundings }: SchemaFormProps) {
  const prepared = useMemo(() => formSchema(schema), [schema]);
  if (Object.keys(schema.properties ?? {}).length === 0)
    return <p className="text-sm text-muted-foreground">There is nothing to set.</p>;
  return (
    <Form
      className="min-w-0"
      experimental_defaultFormStateBehavior={noDefaults}
      formContext={surroundings}
      formData={value}
      idPrefix={surroundings.name}
      noHtml5Validate
      noValidate
      onChange={({ formData }) => onChange(withoutNothing(formData))}
      schema={prepared}
      tagName="div"
      templates={templates}
      uiSchema={noButton}
      validator={server}
      widgets={widgets}
    />
  );
}

/** An emptied field is one that is not there. */
export function withoutNothing(value: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined));
}
