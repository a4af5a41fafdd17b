import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { z } from "zod";
import { createAutomation, updateAutomation, validateAutomation } from "../api/automationcalls";
import { automationsKey, type Automation } from "../api/automations";
import { filled } from "../api/forms/named";
import { applicationsQuery } from "../api/people";
import { Button } from "../ui/Button";
import { SelectField, TextArea, TextField } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";
import { PageForm } from "../ui/PageForm";
import { useRecordForm } from "../ui/recordform";
import { Issues } from "./Issues";
import { offsetOf } from "./words";

const schema = z.object({
  text: z.string().refine((text) => text.trim() !== "", "Write a definition."),
  runAs: filled,
});

interface DefinitionFormProps {
  /** Without one the form makes a new automation. */
  automation?: Automation;
  /** The definition that a new automation begins with. */
  starter?: string;
  origin: ReactNode;
  onSaved: (saved: Automation) => void;
}

/** The definition of an automation and the application that it acts as. Mount it again once it was saved. */
export function DefinitionForm({ automation, starter = "", origin, onSaved }: DefinitionFormProps) {
  const area = useRef<HTMLDivElement>(null);
  const form = useRecordForm({
    schema,
    item: automation,
    values: (now) => ({ text: now?.text ?? starter, runAs: now?.runAs.id ?? "" }),
    send: ({ text, runAs }, began, key) => {
      if (!began) return createAutomation({ text, runAs }, key);
      const change = { ...(text !== began.text && { text }), ...(runAs !== began.runAs.id && { runAs }) };
      return updateAutomation(began, change, key);
    },
    invalidates: [automationsKey],
    tool: automation ? "automation.update" : "automation.propose",
    onSaved,
  });
  const validation = useMutation({
    mutationFn: () => {
      const { text, runAs } = form.getValues();
      return validateAutomation({ text, runAs: runAs || undefined });
    },
  });
  const goTo = (line: number, column: number) => {
    const field = area.current?.querySelector("textarea");
    if (!field) return;
    const at = offsetOf(field.value, line, column);
    field.focus();
    field.setSelectionRange(at, at);
    // The lines of the field have the same height.
    field.scrollTop = (field.scrollHeight / field.value.split("\n").length) * Math.max(0, line - 5);
  };
  return (
    <PageForm form={form} origin={origin} testId="save-automation">
      <ApplicationField automation={automation} field={form.field("runAs")} />
      <div ref={area}>
        <TextArea
          autoCapitalize="off"
          autoComplete="off"
          className="font-mono leading-5 whitespace-pre"
          data-testid="definition"
          hint="YAML: triggers, conditions and actions."
          label="Definition"
          rows={22}
          spellCheck={false}
          wrap="off"
          {...form.field("text")}
        />
      </div>
      <div aria-live="polite" className="flex flex-col items-start gap-3">
        <Button
          busy={validation.isPending}
          data-testid="validate-automation"
          icon="check"
          onClick={() => validation.mutate()}
        >
          Validate
        </Button>
        <ErrorNotice error={validation.error} />
        {validation.data && <Issues onGo={goTo} verdict={validation.data} />}
      </div>
    </PageForm>
  );
}

interface ApplicationFieldProps {
  automation: Automation | undefined;
  field: { issue: string | undefined; name: string };
}

/** The application to act as, out of those that the reader may list; others name it by its id. */
function ApplicationField({ automation, field }: ApplicationFieldProps) {
  const { data: applications, error } = useQuery(applicationsQuery);
  const hint = "It acts with the rights of this application. You have to hold them all yourself.";
  if (error) return <TextField hint={hint} label="Id of the application to act as" {...field} />;
  const current = automation?.runAs;
  const usable = applications?.filter(({ disabled, id }) => !disabled || id === current?.id);
  const options = usable ?? (current ? [current] : []);
  return (
    // The choice is made once its options are there.
    <SelectField hint={hint} key={usable ? "read" : "reading"} label="Acts as" {...field}>
      <option value="">{usable ? "Choose an application" : "Loading…"}</option>
      {current && !options.some(({ id }) => id === current.id) && (
        <option value={current.id}>{current.name || "A deleted application"}</option>
      )}
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
