import type { ReactNode } from "react";
import { Button } from "./Button";
import { Icon } from "./Icon";

interface ConflictNoticeProps {
  /** What both have changed. */
  children?: ReactNode;
  onTake: () => void;
}

/** Says that somebody else was faster, and with what. */
export function ConflictNotice({ children, onTake }: ConflictNoticeProps) {
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
        {children}
        <Button className="mt-2" data-testid="take-stored" onClick={onTake}>
          Discard mine and load what is stored
        </Button>
      </div>
    </div>
  );
}
