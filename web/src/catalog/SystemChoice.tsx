import type { ZodType } from "zod";
import { catalogKey } from "../api/catalog";
import { SystemPicker } from "../health/SystemPicker";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useController } from "react-hook-form";

interface SystemChoiceProps {
  title: string;
  tool: string;
  schema: ZodType<{ systemId: string }, { systemId: string }>;
  send: (systemId: string, idempotencyKey: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for one of all systems. */
export function SystemChoice({ title, tool, schema, send, onClose }: SystemChoiceProps) {
  const form = useRecordForm({
    tool,
    schema,
    values: () => ({ systemId: "" }),
    send: ({ systemId }, _, key) => send(systemId, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  const { field, fieldState } = useController({ control: form.control, name: "systemId" });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Add" title={title}>
      <SystemPicker
        issue={fieldState.error?.message}
        label="System"
        name="systemId"
        onChange={field.onChange}
        required
        value={field.value}
      />
    </FormPage>
  );
}
