import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";

/** Says that somebody else was faster. */
export function ConflictNotice({ both, onTake }: { both: readonly string[]; onTake: () => void }) {
  return (
    <div
      className="flex items-start gap-2.5 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning"
      data-testid="form-conflict"
      role="alert"
    >
      <Icon className="mt-0.5" name="alert" size={16} />
      <div className="min-w-0 flex-1">
        <p>
          <strong>Somebody else has changed it since you opened it.</strong> What you have entered is kept and not saved
          yet; the rest shows what is stored now.
        </p>
        {both.length > 0 && <p className="mt-1">You both have changed: {both.join(", ")}. Saving replaces theirs.</p>}
        <Button className="mt-2" data-testid="take-stored" onClick={onTake}>
          Discard mine and load what is stored
        </Button>
      </div>
    </div>
  );
}

/** Says that something was typed here before that was not saved. */
export function KeptNotice({ onTake, onDrop }: { onTake: () => void; onDrop: () => void }) {
  return (
    <div
      className="flex flex-wrap items-center gap-2 rounded-lg bg-primary-soft px-3 py-2.5 text-sm"
      data-testid="kept-draft"
      role="status"
    >
      <span className="min-w-0 flex-1 basis-52">You left something here that is not saved.</span>
      <Button onClick={onTake}>Bring it back</Button>
      <Button onClick={onDrop} variant="quiet">
        Forget it
      </Button>
    </div>
  );
}
