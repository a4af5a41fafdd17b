import { Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import type { HistoryOf } from "../api/history";
import { HistoryDrawer } from "../history/History";
import { AskAbout } from "./AskAbout";
import { Button } from "./Button";
import { DeleteDialog, type Deletion } from "./DeleteDialog";
import { IconButton } from "./IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "./Notice";
import { Page } from "./Page";
import { Rows } from "./Rows";

/** Items of a list page, from a query or an infinite one: see wholeList and pagedList. */
export interface List<Item> {
  /** Undefined until the first answer. */
  items: readonly Item[] | undefined;
  error: Error | null;
  retry: () => void;
  /** Reads the next page, when there is one. */
  more?: { read: () => void; busy: boolean };
}

interface WholeQuery<Item> {
  data: readonly Item[] | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** The list of a query that reads all items at once. */
export function wholeList<Item>({ data, error, refetch }: WholeQuery<Item>): List<Item> {
  return { items: data, error, retry: () => void refetch() };
}

interface PagedQuery<Page> {
  data: { pages: Page[] } | undefined;
  error: Error | null;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The list of an infinite query, as far as it has been read. */
export function pagedList<Page, Item>(query: PagedQuery<Page>, itemsOf: (page: Page) => readonly Item[]): List<Item> {
  return {
    items: query.data?.pages.flatMap(itemsOf),
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? { read: () => void query.fetchNextPage(), busy: query.isFetchingNextPage } : undefined,
  };
}

interface ListPageProps<Item> {
  /** Kind of one item, in lower case: "system". The button says "New system". */
  noun: string;
  title: string;
  description: ReactNode;
  list: List<Item>;
  /** Search and filters, above the list. */
  filters?: ReactNode;
  /** Further content above the list, such as the state of the listed items. */
  children?: ReactNode;
  /** Shown when the list is empty. */
  empty?: { title: string; hint?: ReactNode; action?: ReactNode };
  name: (item: Item) => string;
  /** Stable key of an item, also after it was changed. */
  itemKey: (item: Item) => string;
  /** A Row, or what an item has in its place; actions are the buttons that open edit and remove. */
  row: (item: Item, actions: ReactNode) => ReactNode;
  /** The form for a new item, which may be loaded beside the page; undefined without the right to create one. */
  create?: (close: () => void) => ReactNode;
  createLabel?: string;
  /** The form for an item. It gets the stored item, and updates of it while open. */
  edit?: (item: Item, close: () => void) => ReactNode;
  editable?: (item: Item) => boolean;
  editLabel?: (item: Item) => string;
  remove?: Deletion<Item>;
  removable?: (item: Item) => boolean;
  /** The object whose history a button of the item opens. */
  history?: (item: Item) => HistoryOf;
  /** How many there are in all, in words. */
  total?: ReactNode;
  /** Said beside the button that reads the next page. */
  moreHint?: (shown: number) => string;
  /** Further buttons of the page. */
  actions?: ReactNode;
  testId?: string;
  placeholders?: number;
}

type Open<Item> = { kind: "create" } | { kind: "edit" | "remove" | "history"; item: Item } | null;

/** The page of every list: title, search and filters, rows, the next page, and the dialogs for one item. */
export function ListPage<Item>(props: ListPageProps<Item>) {
  const { noun, list, name, itemKey, create, edit, remove } = props;
  const { items } = list;
  const [open, setOpen] = useState<Open<Item>>(null);
  const close = () => setOpen(null);
  const newButton = useRef<HTMLButtonElement>(null);
  // The button that opened the dialog is gone with the item, so that the closed dialog has nothing to give the focus to.
  const removed = useRef(false);
  useEffect(() => {
    if (open || !removed.current) return;
    removed.current = false;
    newButton.current?.focus();
  }, [open]);
  // The last "Show more" is gone with the press: the focus goes to the list that it has made longer.
  const rows = useRef<HTMLDivElement>(null);
  const read = useRef(false);
  const ended = !list.more;
  useEffect(() => {
    if (!ended || !read.current) return;
    read.current = false;
    rows.current?.focus();
  }, [ended]);
  // A filter can leave out all of a page, and what fits lies behind it.
  const looking = items?.length === 0 && list.more !== undefined && !list.error;
  const { more } = list;
  useEffect(() => {
    if (looking && more && !more.busy) more.read();
  }, [looking, more]);
  const current =
    open && open.kind !== "create" ? (items?.find((item) => itemKey(item) === itemKey(open.item)) ?? open.item) : null;

  const actionsOf = (item: Item) => (
    <>
      {props.history && <AskAbout name={name(item)} noun={noun} small />}
      {props.history && (
        <IconButton
          icon="clock"
          label={`History of ${name(item)}`}
          onClick={() => setOpen({ kind: "history", item })}
        />
      )}
      {edit && (props.editable?.(item) ?? true) && (
        <IconButton
          icon="pencil"
          label={props.editLabel?.(item) ?? `Edit ${name(item)}`}
          onClick={() => setOpen({ kind: "edit", item })}
        />
      )}
      {remove && (props.removable?.(item) ?? true) && (
        <IconButton icon="trash" label={`Delete ${name(item)}`} onClick={() => setOpen({ kind: "remove", item })} />
      )}
    </>
  );

  return (
    <Page
      actions={
        <>
          {props.actions}
          {create && (
            <Button
              data-testid={`new-${noun}`}
              icon="plus"
              onClick={() => setOpen({ kind: "create" })}
              ref={newButton}
              variant="primary"
            >
              {props.createLabel ?? `New ${noun}`}
            </Button>
          )}
        </>
      }
      description={props.description}
      testId={props.testId ?? `${noun}s-page`}
      title={props.title}
    >
      {props.filters && <div className="flex flex-wrap items-center gap-3">{props.filters}</div>}
      {props.children}
      <ErrorNotice error={list.error} onRetry={list.retry} />
      {((!items && !list.error) || looking) && <SkeletonRows rows={props.placeholders} />}
      {items?.length === 0 && !list.more && (
        <EmptyState action={props.empty?.action} title={props.empty?.title ?? `No ${noun}s yet`}>
          {props.empty?.hint}
        </EmptyState>
      )}
      {props.total && (
        <p aria-live="polite" className="-mb-2 text-sm text-muted-foreground" data-testid={`${noun}s-total`}>
          {props.total}
        </p>
      )}
      {items && items.length > 0 && (
        <div className="outline-none" ref={rows} tabIndex={-1}>
          <Rows itemKey={itemKey} items={items} label={props.title}>
            {(item) => props.row(item, actionsOf(item))}
          </Rows>
        </div>
      )}
      {list.more && !looking && (
        <div className="flex flex-col items-center gap-1.5">
          {props.moreHint && (
            <p className="text-sm text-muted-foreground" data-testid={`${noun}s-shown`}>
              {props.moreHint(items?.length ?? 0)}
            </p>
          )}
          <Button
            busy={list.more.busy}
            data-testid={`more-${noun}s`}
            onClick={() => {
              read.current = true;
              list.more?.read();
            }}
          >
            Show more
          </Button>
        </div>
      )}
      <Suspense>{open?.kind === "create" && create?.(close)}</Suspense>
      {open?.kind === "history" && current && props.history && (
        <HistoryDrawer name={name(current)} of={props.history(current)} onClose={close} />
      )}
      <Suspense>{open?.kind === "edit" && current && edit?.(current, close)}</Suspense>
      {open?.kind === "remove" && current && remove && (
        <DeleteDialog
          {...remove}
          item={current}
          name={name(current)}
          noun={noun}
          onClose={close}
          onDeleted={() => {
            removed.current = true;
            close();
          }}
        />
      )}
    </Page>
  );
}
