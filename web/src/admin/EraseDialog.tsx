import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  erasuresQuery,
  keptContentQuery,
  keptPeopleQuery,
  requestErasure,
  type KeptContent,
  type KeptPerson,
} from "../api/privacy";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** Shows what would be deleted and asks for the person's address before it is. */
export function EraseDialog({ person, onClose }: { person: KeptPerson; onClose: () => void }) {
  const toast = useToast();
  const { data: content, error, refetch } = useQuery(keptContentQuery(person.id));
  const [typed, setTyped] = useState("");
  const confirmation = person.email || person.id;
  const confirmed = typed.trim().toLowerCase() === confirmation.toLowerCase();
  const erase = useWrite({
    send: requestErasure,
    invalidates: [erasuresQuery.queryKey, keptPeopleQuery.queryKey],
    onSuccess: () => {
      toast("Erasure started");
      onClose();
    },
    // The toast has the way to the proposal, and a second one would ask for the same.
    onProposed: onClose,
  });
  return (
    <Dialog onClose={onClose} testId="erase-dialog" title={`Erase ${person.name || "this person"}?`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (confirmed) erase.mutate({ personId: person.id, email: person.email });
        }}
      >
        <p className="text-sm text-muted-foreground">
          Everything below is permanently deleted. Running answers are stopped first. The audit log keeps tool calls
          without arguments. The account is kept.
        </p>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {!content && !error && <SkeletonRows rows={1} />}
        {content && <Counts content={content} />}
        <TextField
          autoComplete="off"
          label={`Type ${confirmation} to confirm`}
          name="confirmation"
          onChange={(event) => setTyped(event.currentTarget.value)}
          value={typed}
        />
        <ErrorNotice error={erase.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            busy={erase.isPending}
            data-testid="erase-confirm"
            disabled={!confirmed}
            type="submit"
            variant="danger"
          >
            Erase permanently
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Counts({ content }: { content: KeptContent }) {
  const rows: [string, number][] = [
    ["Conversations", content.conversations],
    ["Messages", content.messages],
    ["Turns", content.turns],
    ["Proposals", content.proposals],
    ...Object.entries(content.other).map(([name, count]): [string, number] => [title(name), count]),
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border p-3 text-sm" data-testid="erase-counts">
      {rows.map(([name, count]) => (
        <div className="flex justify-between gap-2" key={name}>
          <dt className="text-muted-foreground">{name}</dt>
          <dd className="tabular-nums">{count}</dd>
        </div>
      ))}
    </dl>
  );
}

/** "keptAnswers" reads "Kept answers". */
function title(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
