import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { DiscardDialog } from "../../ui/DiscardDialog";
import { TextField } from "../../ui/Field";
import { idIssue } from "../studio/draft";

interface NewToolDialogProps {
  agentId: string;
  number: number;
  /** Ids of tools that are there. */
  taken: readonly string[];
  onClose: () => void;
}

/** Asks for the id of a new tool, and leads to its studio. */
export function NewToolDialog({ agentId, number, taken, onClose }: NewToolDialogProps) {
  const navigate = useNavigate();
  const [id, setId] = useState("");
  const [asked, setAsked] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const leave = () => (id === "" ? onClose() : setLeaving(true));
  const issue = idIssue(id, taken);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!issue) void navigate({ to: "/agents/editor", search: { agent: agentId, revision: number, tool: id } });
  };
  return (
    <Dialog onClose={leave} testId="new-tool-dialog" title="New tool">
      <form className="flex flex-col gap-4" noValidate onSubmit={submit}>
        <TextField
          className="font-mono"
          hint="Cannot be changed later. Say what the tool does: find-order, total-of-cart."
          issue={asked ? issue : undefined}
          label="Short name of the tool"
          maxLength={64}
          onChange={(event) => setId(event.currentTarget.value.toLowerCase())}
          required
          spellCheck={false}
          value={id}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={leave}>Cancel</Button>
          <Button data-testid="new-tool-confirm" type="submit" variant="primary">
            Create tool
          </Button>
        </div>
      </form>
      {leaving && <DiscardDialog onDiscard={onClose} onStay={() => setLeaving(false)} />}
    </Dialog>
  );
}
