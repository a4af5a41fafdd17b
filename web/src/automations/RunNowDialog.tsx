import { useNavigate } from "@tanstack/react-router";
import { useForm } from "react-hook-form";
import { runAutomation } from "../api/automationcalls";
import { automationRunsKey, automationsKey, type Automation } from "../api/automations";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { SelectField, TextArea } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** The value of trigger.payload, undefined for a text that is no JSON object. */
function payloadOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Runs an automation by hand, as if one of its triggers had fired. */
export function RunNowDialog({ automation, onClose }: { automation: Automation; onClose: () => void }) {
  const navigate = useNavigate();
  const toast = useToast();
  const triggers = automation.definition.triggers ?? [];
  const form = useForm({ defaultValues: { triggerId: triggers[0]?.id ?? "", payload: "" } });
  const write = useWrite({
    send: (body: Parameters<typeof runAutomation>[1], key) => runAutomation(automation, body, key),
    invalidates: [automationsKey, automationRunsKey],
    onSuccess: ({ run, started }) => {
      toast(started ? "Started" : "Not started");
      void navigate({ to: "/automations/runs/$runId", params: { runId: run.id } });
    },
    onProposed: onClose,
  });
  return (
    <Dialog onClose={onClose} testId="form-dialog" title={`Run ${automation.name}`}>
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={(event) =>
          void form.handleSubmit(({ triggerId, payload }) =>
            write.mutate({ triggerId: triggerId || undefined, payload: payloadOf(payload) }),
          )(event)
        }
      >
        <SelectField
          hint="Conditions and the mode of the automation count."
          label="Trigger"
          {...form.register("triggerId")}
        >
          {triggers.map(({ id, event }) => (
            <option key={id} value={id}>
              {id === event ? id : `${id}: ${event}`}
            </option>
          ))}
        </SelectField>
        <TextArea
          className="font-mono"
          hint="A JSON object; empty for none."
          issue={form.formState.errors.payload?.message}
          label="Payload of the trigger"
          rows={5}
          spellCheck={false}
          {...form.register("payload", {
            validate: (text) => payloadOf(text) !== undefined || "Enter a JSON object.",
          })}
        />
        <ErrorNotice error={write.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={write.isPending} data-testid="form-submit" icon="play" type="submit" variant="primary">
            Run now
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
