import { Suspense, useState, type ReactNode } from "react";
import type { HistoryOf } from "../api/history";
import { HistoryPanel } from "../history/History";
import { AskAbout } from "./AskAbout";
import { Button } from "./Button";
import { DeleteDialog, type Deletion } from "./DeleteDialog";
import { isMissing, MissingPage, WaysOn } from "./Missing";
import { ErrorNotice, SkeletonRows } from "./Notice";
import { Page } from "./Page";
import { fullTime } from "./time";
import { Trail, type Crumb } from "./Trail";

interface DetailPageProps<Item> {
  /** Kind of the item, in lower case: "system". */
  noun: string;
  query: { data: Item | undefined; error: Error | null; refetch: () => unknown };
  /** The pages above this one, the outermost first. */
  trail: readonly Crumb[];
  name: (item: Item) => string;
  description?: (item: Item) => ReactNode;
  /** Badges under the title. */
  badges?: (item: Item) => ReactNode;
  /** Author, and time of the change. */
  origin?: (item: Item) => ReactNode;
  /** Buttons before Edit and Delete. */
  actions?: (item: Item) => ReactNode;
  /** The button that most people came for, after Edit and Delete. */
  mainAction?: (item: Item) => ReactNode;
  edit?: (item: Item, close: () => void) => ReactNode;
  editable?: (item: Item) => boolean;
  remove?: Deletion<Item>;
  removable?: (item: Item) => boolean;
  /** Leads to where the item was listed. */
  onDeleted?: () => void | Promise<void>;
  /** The object whose history the last section shows; undefined for one that never changes. */
  history?: (item: Item) => HistoryOf | undefined;
  /** Subject of a chat about the item, in words; without it, the noun and the name. */
  about?: (item: Item) => string | undefined;
  testId?: string;
  /** The sections of the page. */
  children: (item: Item) => ReactNode;
}

/** The page of one record: breadcrumbs, title, actions and sections. */
export function DetailPage<Item>(props: DetailPageProps<Item>) {
  const { noun, query, edit, remove } = props;
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const close = () => setOpen(null);
  const item = query.data;
  if (!item) {
    if (isMissing(query.error)) return <MissingPage noun={noun} trail={props.trail} />;
    return (
      <Page title={noun.charAt(0).toUpperCase() + noun.slice(1)} trail={<Trail crumbs={props.trail} />}>
        {query.error ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} /> : <SkeletonRows />}
      </Page>
    );
  }
  // After a deletion here the dialog reports it and leads on.
  const gone = isMissing(query.error) && open !== "remove";
  const name = props.name(item);
  const badges = !gone && props.badges?.(item);
  const origin = !gone && props.origin?.(item);
  const history = gone ? undefined : props.history?.(item);
  return (
    <Page
      actions={
        !gone && (
          <>
            <AskAbout about={props.about?.(item)} name={name} noun={noun} />
            {props.actions?.(item)}
            {edit && (props.editable?.(item) ?? true) && (
              <Button data-testid={`edit-${noun}`} icon="pencil" onClick={() => setOpen("edit")}>
                Edit
              </Button>
            )}
            {remove && (props.removable?.(item) ?? true) && (
              <Button data-testid={`delete-${noun}`} icon="trash" onClick={() => setOpen("remove")}>
                Delete
              </Button>
            )}
            {props.mainAction?.(item)}
          </>
        )
      }
      description={!gone && props.description?.(item)}
      testId={props.testId ?? `${noun}-page`}
      title={gone ? `${name} is no longer there` : name}
      trail={<Trail crumbs={props.trail} here={gone ? undefined : name} />}
    >
      {gone && (
        <>
          <p className="text-muted-foreground" data-testid="gone" role="alert">
            This {noun} was deleted, or you no longer have access.
          </p>
          <WaysOn trail={props.trail} />
        </>
      )}
      {(badges || origin) && (
        <div className="-mt-2 flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
          {badges}
          {origin && <span className="ml-auto text-xs">{origin}</span>}
        </div>
      )}
      {/* Unseen and not unmounted: a form that is open over the page may belong to a section, and keeps what was typed. */}
      <div className="contents" hidden={gone}>
        {props.children(item)}
      </div>
      {history && <HistoryPanel of={history} />}
      <Suspense>{open === "edit" && edit?.(item, close)}</Suspense>
      {open === "remove" && remove && (
        <DeleteDialog
          {...remove}
          item={item}
          name={name}
          noun={noun}
          onClose={close}
          onDeleted={props.onDeleted ?? close}
        />
      )}
    </Page>
  );
}

export function changedAt({ updatedAt }: { updatedAt: string }): string {
  return `Changed ${fullTime(updatedAt)}`;
}
