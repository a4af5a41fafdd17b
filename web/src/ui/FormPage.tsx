import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { FieldValues } from "react-hook-form";
import { askingLabel } from "../api/governed";
import { isSessionOver } from "../shell/session";
import { AskingNotice } from "./AskingNotice";
import { Button } from "./Button";
import { ConflictNotice } from "./ConflictNotice";
import { Dialog } from "./Dialog";
import { DiscardDialog } from "./DiscardDialog";
import { ErrorNotice } from "./Notice";
import type { RecordForm } from "./recordform";

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

/** Modal form for one record: fields, issues, edit conflicts, and protection of typed text. */
export function FormPage<Values extends FieldValues, Fields>(props: FormPageProps<Values, Fields>) {
  const { title, submitLabel, onClose, wide, children } = props;
  const { element, submit, dirty, conflict, takeStored, error, busy, asks, proposed } = props.form;
  const [leaving, setLeaving] = useState(false);
  const blocker = useBlocker({
    shouldBlockFn: dirty,
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  // A pending write needs the form no longer.
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
        {conflict && <ConflictNotice fields={conflict.fields} onChoose={conflict.choose} onTake={takeStored} />}
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
        <DiscardDialog
          onDiscard={() => {
            if (blocker.status === "blocked") blocker.proceed();
            onClose();
          }}
          signedOut={blocker.status === "blocked" && isSessionOver(blocker.next)}
          onStay={() => {
            setLeaving(false);
            blocker.reset?.();
          }}
        />
      )}
    </Dialog>
  );
}
