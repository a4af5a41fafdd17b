import { useRef } from "react";
import { useFieldArray } from "react-hook-form";
import type { z } from "zod";
import type { Connection, ConnectionFields } from "../api/connections";
import { enterAgain, onAnotherServer, type connectionSchema } from "../api/forms/connection";
import { Button } from "../ui/Button";
import { SelectField, TextArea, TextField } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import type { RecordForm } from "../ui/recordform";

type Form = RecordForm<z.input<ReturnType<typeof connectionSchema>>, ConnectionFields>;

interface ConnectionRequestsProps {
  form: Form;
  connection: Connection | undefined;
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** How requests to the provider are made, for providers that want it otherwise than others. */
export function ConnectionRequests({ form, connection }: ConnectionRequestsProps) {
  return (
    <fieldset className="flex flex-col gap-4" data-testid="connection-requests">
      <legend className="mb-2 text-sm font-semibold">Requests</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          hint="For reasoning models. Left out where the model refuses it."
          label="Reasoning effort"
          {...form.field("reasoningEffort")}
        >
          <option value="">Provider default</option>
          {efforts.map((effort) => (
            <option key={effort} value={effort}>
              {effort}
            </option>
          ))}
        </SelectField>
        <SelectField
          hint="Automatic adapts to the provider. Off shows each answer when complete."
          label="Streaming"
          {...form.field("streaming")}
        >
          <option value="auto">Automatic</option>
          <option value="on">On</option>
          <option value="off">Off</option>
        </SelectField>
        <SelectField
          hint="Whether tool calls that a model writes into its text are made."
          label="Text calls"
          {...form.field("textCalls")}
        >
          <option value="auto">Automatic</option>
          <option value="on">On</option>
          <option value="off">Off</option>
        </SelectField>
        <TextField
          hint="Longest wait for the first word. Empty: adapts to the model."
          inputMode="numeric"
          label="Time to first token (seconds)"
          {...form.field("firstTokenSeconds")}
        />
        <TextField
          hint="The model searches for the rest. Empty: 128."
          inputMode="numeric"
          label="Maximum tools per request"
          {...form.field("maxTools")}
        />
      </div>
      {connection?.kind !== "demo" && (
        <>
          <ExtraHeaders connection={connection} form={form} />
          <TextArea
            className="font-mono text-[0.8125rem]"
            hint={'A JSON object added to each chat request, such as {"service_tier": "flex"}.'}
            label="Extra body members"
            rows={3}
            spellCheck={false}
            {...form.field("extraBody")}
          />
        </>
      )}
    </fieldset>
  );
}

const maxHeaders = 20;

function ExtraHeaders({ form, connection }: ConnectionRequestsProps) {
  const adding = useRef<HTMLButtonElement>(null);
  const stored = connection?.extraHeaderNames.map((name) => name.toLowerCase()) ?? [];
  const moved = onAnotherServer(connection, form.watch("baseUrl"));
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "extraHeaders", keyName: "formKey" });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Extra headers</legend>
      <p className="text-xs text-muted-foreground">
        Sent with each request. Values are stored encrypted; never shown again.
      </p>
      {fields.map((field, index) => {
        const name = form.watch(`extraHeaders.${index}.name`);
        return (
          <div className="flex items-start gap-2 max-sm:not-last:mb-3" data-testid="extra-header" key={field.formKey}>
            <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-2">
              <TextField
                autoComplete="off"
                label={`Header ${index + 1}`}
                maxLength={100}
                placeholder="X-Title"
                spellCheck={false}
                {...form.field(`extraHeaders.${index}.name`)}
              />
              <TextField
                autoComplete="off"
                hint={
                  !stored.includes(name.trim().toLowerCase())
                    ? undefined
                    : moved
                      ? enterAgain
                      : "Leave empty to keep the stored value."
                }
                label={`Value of header ${index + 1}`}
                maxLength={4096}
                type="password"
                {...form.field(`extraHeaders.${index}.value`)}
              />
            </div>
            <IconButton
              className="mt-7"
              icon="trash"
              label={`Remove header ${name || index + 1}`}
              onClick={() => {
                remove(index);
                // The button that was pressed is gone.
                adding.current?.focus();
              }}
            />
          </div>
        );
      })}
      <Button
        className="self-start"
        data-testid="add-header"
        disabled={fields.length >= maxHeaders}
        icon="plus"
        onClick={() => append({ name: "", value: "" })}
        ref={adding}
      >
        Add a header
      </Button>
    </fieldset>
  );
}
