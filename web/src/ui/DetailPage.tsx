import { useState, type ReactNode } from "react";
import type { HistoryOf } from "../api/history";
import { HistoryPanel } from "../history/History";
import { AskAbout } from "./AskAbout";
import { Button } from "./Button";
import { DeleteDialog, type Deletion } from "./DeleteDialog";
import { isMissing, MissingPage } from "./Missing";
import { ErrorNotice, SkeletonRows } from "./Notice";
import { Page } from "./Page";
import { fullTime } from "./time";
import { Trail, type Crumb } from "./Trail";

interface DetailPageProps<Item> {
  /** What the item is called, in lower case: "system". */
  noun: string;
  query: { data: Item | undefined; error: Error | null; refetch: () => unknown };
  /** The pages above this one, the outermost first. */
  trail: readonly Crumb[];
  name: (item: Item) => string;
  description?: (item: Item) => ReactNode;
  /** Badges under the title. */
  badges?: (item: Item) => ReactNode;
  /** Who wrote it, when it was changed. */
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
  /** Without it, a button opens a chat about the item. */
  ask?: false;
  testId?: string;
  /** The sections of the page. */
  children: (item: Item) => ReactNode;
}

/** The page of one thing: where it belongs, what it is, what can be done with it, and its sections. */
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
  const badges = props.badges?.(item);
  const origin = props.origin?.(item);
  const history = props.history?.(item);
  return (
    <Page
      actions={
        <>
          {props.ask ?? <AskAbout name={props.name(item)} noun={noun} />}
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
      }
      description={props.description?.(item)}
      testId={props.testId ?? `${noun}-page`}
      title={props.name(item)}
      trail={<Trail crumbs={props.trail} here={props.name(item)} />}
    >
      {(badges || origin) && (
        <div className="-mt-2 flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
          {badges}
          {origin && <span className="ml-auto text-xs">{origin}</span>}
        </div>
      )}
      {props.children(item)}
      {history && <HistoryPanel of={history} />}
      {open === "edit" && edit?.(item, close)}
      {open === "remove" && remove && (
        <DeleteDialog
          {...remove}
          item={item}
          name={props.name(item)}
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
