import type { ReactNode } from "react";
import type { FieldValues } from "react-hook-form";
import { askingLabel } from "../api/governed";
import { AskingNotice } from "./AskingNotice";
import { Button } from "./Button";
import { ConflictNotice } from "./ConflictNotice";
import { useLeaveGuard } from "./leaveguard";
import { ErrorNotice } from "./Notice";
import type { RecordForm } from "./recordform";

interface PageFormProps<Values extends FieldValues, Fields> {
  form: RecordForm<Values, Fields>;
  /** Facts about the stored record, beside the button. */
  origin: ReactNode;
  testId: string;
  children: ReactNode;
}

/**
 * Form for one record as a part of a page: the counterpart of FormPage for dialogs. Mount it again once it was saved.
 */
export function PageForm<Values extends FieldValues, Fields>(props: PageFormProps<Values, Fields>) {
  const { element, submit, dirty, conflict, takeStored, error, busy, asks } = props.form;
  const leaving = useLeaveGuard(dirty);
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={submit} ref={element}>
      {props.children}
      {conflict && <ConflictNotice fields={conflict.fields} onChoose={conflict.choose} onTake={takeStored} />}
      <AskingNotice asks={asks} />
      <ErrorNotice error={error} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">{props.origin}</p>
        <Button busy={busy} data-testid={props.testId} disabled={asks === "off"} type="submit" variant="primary">
          {asks === "off" ? "Save" : askingLabel(asks, "Save")}
        </Button>
      </div>
      {leaving}
    </form>
  );
}
