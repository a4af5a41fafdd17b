import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { newId } from "../../api/client";
import type { ImportPreview } from "../../api/health";
import { createSecret, secretsQuery } from "../../api/secrets";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { ErrorNotice } from "../../ui/Notice";
import { Panel } from "../../ui/Page";
import { valueIn } from "./source";

type Secret = NonNullable<ImportPreview["conversion"]>["secrets"][number];

interface SecretsProps {
  secrets: Secret[];
  /** The text in which their values are. */
  source: string;
  /** Some were created. */
  onCreated: () => void;
}

/** Secrets that have to exist before the import, filled in from the text as far as it has them. */
export function Secrets({ secrets, source, onCreated }: SecretsProps) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const missing = secrets.filter(({ exists }) => !exists);
  const values = missing.map((secret) => ({ name: secret.name, value: typed[secret.name] ?? valueIn(source, secret) }));
  const create = useMutation({
    mutationFn: async () => {
      for (const { name, value } of values)
        if (value !== "") await createSecret({ name, value, description: "From an import of checks" }, newId());
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: secretsQuery.queryKey });
      onCreated();
    },
  });
  if (missing.length === 0) return null;
  return (
    <Panel title="Secrets">
      <form
        className="flex flex-col gap-4"
        data-testid="import-secrets"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <p className="text-sm">
          Passwords and tokens are kept as secrets, never in checks. Create these before the import.
        </p>
        {missing.map(({ name, line, monitors }, index) => (
          <TextField
            autoComplete="off"
            hint={`Line ${line}, for ${monitors.join(", ")}`}
            key={name}
            label={name}
            onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
            spellCheck={false}
            type="password"
            value={values[index]?.value ?? ""}
          />
        ))}
        <ErrorNotice error={create.error} />
        <div className="flex justify-end">
          <Button
            busy={create.isPending}
            data-testid="create-secrets"
            disabled={values.every(({ value }) => value === "")}
            type="submit"
            variant="primary"
          >
            Create secrets
          </Button>
        </div>
      </form>
    </Panel>
  );
}
