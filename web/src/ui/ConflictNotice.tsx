import { useId, type ReactNode } from "react";
import { Button } from "./Button";
import { Icon } from "./Icon";

/** Which of two values of a field is saved. */
export type Side = "mine" | "theirs";

/** A field that two people have changed. */
export interface ConflictField {
  name: string;
  /** Its label in the form. */
  label: string;
  /** Which of the two is in the form now. */
  takes: Side;
  /** Both in words; absent when they are shown in another way. */
  mine?: string;
  theirs?: string;
}

interface ConflictNoticeProps {
  /** Fields that both have changed. */
  fields?: readonly ConflictField[];
  onChoose?: (name: string, side: Side) => void;
  /** Shows the differences in another way. */
  children?: ReactNode;
  onTake: () => void;
}

const sides: { side: Side; label: string }[] = [
  { side: "mine", label: "Mine" },
  { side: "theirs", label: "Theirs (stored)" },
];

const none: readonly ConflictField[] = [];

/** Reports an edit conflict (optimistic concurrency), and lets the person choose field by field. */
export function ConflictNotice({ fields = none, onChoose, children, onTake }: ConflictNoticeProps) {
  return (
    <div
      className="flex items-start gap-2.5 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning"
      data-testid="form-conflict"
      role="alert"
    >
      <Icon className="mt-0.5" name="alert" size={16} />
      <div className="min-w-0 flex-1">
        <p>
          <strong>Another user changed this since you opened it.</strong> Your changes are kept but not saved; other
          fields show the stored values.
          {fields.length > 0 && " Both of you changed the fields below: choose what to save."}
        </p>
        {children}
        {fields.map((field) => (
          <Choice field={field} key={field.name} onChoose={(side) => onChoose?.(field.name, side)} />
        ))}
        <Button className="mt-2" data-testid="take-stored" onClick={onTake}>
          Discard mine and load the stored version
        </Button>
      </div>
    </div>
  );
}

function Choice({ field, onChoose }: { field: ConflictField; onChoose: (side: Side) => void }) {
  const id = useId();
  return (
    <fieldset className="mt-2 flex flex-col gap-1.5 text-foreground" data-testid="conflict-field">
      <legend className="mb-1 text-xs font-medium text-warning">{field.label}</legend>
      <div className="grid gap-1.5 sm:grid-cols-2">
        {sides.map(({ side, label }) => (
          <label
            className="flex min-w-0 items-start gap-2 rounded-lg border bg-card px-2.5 py-1.5 has-checked:border-primary"
            key={side}
          >
            <input
              checked={field.takes === side}
              className="mt-1 shrink-0 accent-primary"
              name={id}
              onChange={() => onChoose(side)}
              type="radio"
              value={side}
            />
            <span className="min-w-0">
              <span className="block text-xs text-muted-foreground">{label}</span>
              {field[side] !== undefined && (
                <span className="block wrap-anywhere whitespace-pre-wrap">{field[side] || "(empty)"}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
