import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { FieldValues } from "react-hook-form";
import { askingLabel } from "../api/governed";
import { AskingNotice } from "./AskingNotice";
import { Button } from "./Button";
import { ConfirmDialog, Dialog } from "./Dialog";
import { Icon } from "./Icon";
import { ErrorNotice } from "./Notice";
import type { Conflict, RecordForm } from "./recordform";

interface FormPageProps<Values extends FieldValues, Fields> {
  form: RecordForm<Values, Fields>;
  title: string;
  submitLabel: string;
  onClose: () => void;
  wide?: boolean;
  /** A failure that is none of the form, such as that its choices could not be read. */
  error?: Error | null;
  /** Shows no failure, because the fields say it. */
  quiet?: boolean;
  children: ReactNode;
}

/** The form for one record, in a modal: fields, what is wrong, what somebody else did meanwhile, and no way to lose what was typed. */
export function FormPage<Values extends FieldValues, Fields>(props: FormPageProps<Values, Fields>) {
  const { title, submitLabel, onClose, wide, children } = props;
  const { element, submit, dirty, conflict, takeStored, error, busy, asks, proposed } = props.form;
  const [leaving, setLeaving] = useState(false);
  const blocker = useBlocker({
    shouldBlockFn: dirty,
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  // What waits for a decision needs the form no longer.
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (proposed) close.current();
  }, [proposed]);
  const leave = () => (dirty() ? setLeaving(true) : onClose());
  return (
    <Dialog onClose={leave} testId="form-dialog" title={title} wide={wide}>
      <form className="flex flex-col gap-4" noValidate onSubmit={submit} ref={element}>
        {children}
        {conflict && <ConflictNotice conflict={conflict} onTake={takeStored} />}
        <AskingNotice asks={asks} />
        <ErrorNotice error={props.quiet ? null : (error ?? props.error ?? null)} />
        <div className="flex justify-end gap-2">
          <Button onClick={leave}>Cancel</Button>
          <Button busy={busy} data-testid="form-submit" disabled={asks === "off"} type="submit" variant="primary">
            {asks === "secondPerson" && submitLabel === "Save"
              ? "Ask a second person to save it"
              : asks === "off"
                ? submitLabel
                : askingLabel(asks, submitLabel)}
          </Button>
        </div>
      </form>
      {(leaving || blocker.status === "blocked") && (
        <ConfirmDialog
          cancelLabel="Go on"
          confirmLabel="Discard"
          onClose={() => {
            setLeaving(false);
            blocker.reset?.();
          }}
          onConfirm={() => {
            if (blocker.status === "blocked") blocker.proceed();
            onClose();
          }}
          testId="discard-dialog"
          title="Discard what you have entered?"
        >
          It is not saved yet.
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

interface ConflictNoticeProps {
  conflict: Conflict;
  onTake: () => void;
}

/** Says that somebody else was faster, and with what. */
function ConflictNotice({ conflict, onTake }: ConflictNoticeProps) {
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
          yet; the other fields show what is stored now.
        </p>
        {conflict.fields.length > 0 && (
          <>
            <p className="mt-1">You both have changed:</p>
            <ul className="list-disc pl-4 wrap-anywhere">
              {conflict.fields.map(({ label, stored }) => (
                <li key={label}>
                  {label}, stored as “{typeof stored === "string" ? stored : JSON.stringify(stored)}”
                </li>
              ))}
            </ul>
          </>
        )}
        <Button className="mt-2" data-testid="take-stored" onClick={onTake}>
          Discard mine and load what is stored
        </Button>
      </div>
    </div>
  );
}
