import { Link, type LinkProps } from "@tanstack/react-router";
import type { ChangeEntry, Item } from "../api/history";
import { Badge } from "../ui/Badge";
import { fullTime, timeAgo } from "../ui/time";
import { itemLabel, itemPage, type ObjectTypes } from "./objects";
import {
  actionLabels,
  actionTones,
  actorLabel,
  actorName,
  fieldChange,
  fieldLabel,
  throughProgram,
  wayLabels,
} from "./words";

const link = "underline underline-offset-2 hover:text-foreground";

/** One change: action, requester, decider, time and changed fields. */
export function ChangeLine({ change, types, now, hideObject = false }: ChangeLineProps) {
  const { object, subject, appliedBy, fields } = change;
  const gone = change.action === "deleted" || change.action === "erased";
  return (
    <div className="flex flex-col gap-1 text-sm" data-testid="change">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-0.5">
        <p className="min-w-0 wrap-anywhere">
          <Badge tone={actionTones[change.action]}>{actionLabels[change.action]}</Badge>{" "}
          {!hideObject && (
            <strong className="font-medium">
              <ItemName item={object} page={gone ? undefined : itemPage(types, object)} types={types} />
            </strong>
          )}
          {subject && (
            <>
              {!hideObject && <span aria-hidden="true"> · </span>}
              <span>
                <ItemName item={subject} page={itemPage(types, subject)} types={types} />
              </span>
            </>
          )}
        </p>
        <time
          className="text-xs whitespace-nowrap text-muted-foreground"
          dateTime={change.at}
          title={fullTime(change.at)}
        >
          {timeAgo(change.at, now)}
        </time>
      </div>
      <p className="wrap-anywhere">{change.summary}</p>
      {fields.length > 0 && (
        <ul aria-label="Changed fields" className="text-xs text-muted-foreground">
          {fields.map((field) => (
            <li className="wrap-anywhere" key={field.field}>
              <span className="font-medium">{fieldLabel(field)}</span> {fieldChange(field, change.action)}
            </li>
          ))}
        </ul>
      )}
      <p className="text-xs wrap-anywhere text-muted-foreground">
        {appliedBy ? (
          <>
            asked by {actorLabel(change)}, applied by {actorName(appliedBy)}
            {throughProgram(appliedBy)}
          </>
        ) : (
          actorLabel(change)
        )}
        {change.transport && <> · {wayLabels[change.transport]}</>}
        {change.address && <> · from {change.address}</>}
        {change.proposalId && (
          <>
            {" · "}
            <Link className={link} search={{ status: "all", proposal: change.proposalId }} to="/proposals">
              Proposal
            </Link>
          </>
        )}
      </p>
    </div>
  );
}

/** Names an object, with a link to its page if there is one. */
function ItemName({ item, page, types }: { item: Item; page: LinkProps["to"]; types: ObjectTypes }) {
  const label = itemLabel(types, item);
  return page ? (
    <Link className={link} to={page}>
      {label}
    </Link>
  ) : (
    label
  );
}

interface ChangeLineProps {
  change: ChangeEntry;
  types: ObjectTypes;
  now: number;
  /** For a list about one object. */
  hideObject?: boolean;
}
