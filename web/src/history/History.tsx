import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { historyQuery, type HistoryOf } from "../api/history";
import { loaded } from "../api/reach";
import { holds, meQuery } from "../api/session";
import { Button } from "../ui/Button";
import { Drawer } from "../ui/Drawer";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useNow } from "../ui/time";
import { useObjectTypes } from "./objects";

// Lists and forms do not need it.
const loadLine = () => loaded(() => import("./ChangeLine"));
const ChangeLine = lazy(async () => ({ default: (await loadLine()).ChangeLine }));

/** Changes of one object, newest first. */
function HistoryList({ of }: { of: HistoryOf }) {
  const now = useNow(30_000);
  useEffect(() => void loadLine(), []);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(historyQuery(of));
  const changes = data?.pages.flatMap((page) => page.changes);
  const types = useObjectTypes();
  return (
    <div className="flex flex-col gap-3" data-testid="history">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!(changes && types) && !error && <SkeletonRows rows={2} />}
      {changes?.length === 0 && !hasNextPage && <p className="text-sm text-muted-foreground">No recorded changes.</p>}
      {changes && types && changes.length > 0 && (
        <Suspense fallback={<SkeletonRows rows={2} />}>
          <ol aria-label="Changes" className="divide-y">
            {changes.map((change) => (
              <li className="py-3 first:pt-0 last:pb-0" key={change.entry}>
                <ChangeLine change={change} hideObject={isAbout(change.object, of)} now={now} types={types} />
              </li>
            ))}
          </ol>
        </Suspense>
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} className="self-start" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

const isAbout = (object: HistoryOf, of: HistoryOf) => object.type === of.type && object.id === of.id;

/** Links to the same entries in the audit log, for its readers. */
function InAuditLog({ of }: { of: HistoryOf }) {
  const { data: me } = useQuery(meQuery);
  if (!holds(me, "ai.audit.read")) return null;
  return (
    <Link
      className="px-2 text-sm text-muted-foreground underline underline-offset-2 hover:text-foreground"
      search={{ objectType: of.type, objectId: of.id }}
      to="/admin/audit/changes"
    >
      In the audit log
    </Link>
  );
}

/** The history card of a page about one object. */
export function HistoryPanel({ of }: { of: HistoryOf }) {
  return (
    <Panel actions={<InAuditLog of={of} />} title="History">
      <HistoryList of={of} />
    </Panel>
  );
}

/** The history of an item of a list, from the right edge. */
export function HistoryDrawer({ of, name, onClose }: { of: HistoryOf; name: string; onClose: () => void }) {
  return (
    <Drawer label={`History of ${name}`} onClose={onClose} side="right">
      <div className="flex h-full flex-col gap-4 overflow-y-auto px-5 py-4" data-testid="history-drawer">
        <header className="flex items-start justify-between gap-3">
          <h2 className="min-w-0 text-sm font-semibold wrap-anywhere">History of {name}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <HistoryList of={of} />
        <div>
          <InAuditLog of={of} />
        </div>
      </div>
    </Drawer>
  );
}
