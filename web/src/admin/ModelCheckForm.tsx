import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { z } from "zod";
import type { Connection } from "../api/connections";
import { modelChecksQuery, startModelCheck, type ModelCheck, type NewModelCheck } from "../api/modelchecks";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";
import { kindNames } from "./modelcheckwords";

const price = z
  .string()
  .trim()
  .refine((text) => text === "" || Number(text) >= 0, "Enter a number that is not negative");

const fields = z
  .object({
    model: z.string().trim().max(200, "Use 200 characters at most"),
    kind: z.string(),
    repeats: z.string(),
    inputPrice: price,
    outputPrice: price,
  })
  .refine(({ inputPrice, outputPrice }) => (inputPrice === "") === (outputPrice === ""), {
    path: ["outputPrice"],
    message: "Enter both prices or none",
  });

type Fields = z.infer<typeof fields>;

const request = (connectionId: string, values: Fields): NewModelCheck => ({
  connectionId,
  model: values.model || undefined,
  kinds: values.kind ? [values.kind as NonNullable<NewModelCheck["kinds"]>[number]] : undefined,
  repeats: Number(values.repeats),
  inputPrice: values.inputPrice === "" ? undefined : Number(values.inputPrice),
  outputPrice: values.outputPrice === "" ? undefined : Number(values.outputPrice),
});

/** Scope of a model check, and the price of its tokens, if known. */
export function ModelCheckForm({
  connection,
  onStarted,
}: {
  connection: Connection;
  onStarted: (check: ModelCheck) => void;
}) {
  const form = useForm<Fields>({
    resolver: zodResolver(fields),
    defaultValues: { model: "", kind: "", repeats: "1", inputPrice: "", outputPrice: "" },
  });
  const start = useWrite({
    send: startModelCheck,
    invalidates: [modelChecksQuery.queryKey],
    onSuccess: onStarted,
  });
  const { errors } = form.formState;
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => void form.handleSubmit((values) => start.mutate(request(connection.id, values)))(event)}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Model"
          placeholder={connection.defaultModel}
          {...form.register("model")}
          issue={errors.model?.message}
        />
        <SelectField label="Situations" {...form.register("kind")}>
          <option value="">All kinds</option>
          {Object.entries(kindNames).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Each situation" {...form.register("repeats")}>
          <option value="1">once</option>
          <option value="3">three times</option>
          <option value="5">five times</option>
        </SelectField>
        <TextField
          hint="Per million tokens; leave empty for no cost"
          inputMode="decimal"
          label="Price of input"
          {...form.register("inputPrice")}
          issue={errors.inputPrice?.message}
        />
        <TextField
          inputMode="decimal"
          label="Price of output"
          {...form.register("outputPrice")}
          issue={errors.outputPrice?.message}
        />
      </div>
      <p className="text-sm text-muted-foreground">
        The whole suite takes about 160 model calls and 1.5 million tokens of your spend cap.
      </p>
      <ErrorNotice error={start.error} />
      <div>
        <Button busy={start.isPending} type="submit" variant="primary">
          Start check
        </Button>
      </div>
    </form>
  );
}
