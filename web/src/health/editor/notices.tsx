import { Button } from "../../ui/Button";

/** Says that something was typed here before that was not saved. */
export function KeptNotice({ onTake, onDrop }: { onTake: () => void; onDrop: () => void }) {
  return (
    <div
      className="flex flex-wrap items-center gap-2 rounded-lg bg-primary-soft px-3 py-2.5 text-sm"
      data-testid="kept-draft"
      role="status"
    >
      <span className="min-w-0 flex-1 basis-52">You have an unsaved draft.</span>
      <Button onClick={onTake}>Restore draft</Button>
      <Button onClick={onDrop} variant="quiet">
        Discard draft
      </Button>
    </div>
  );
}
