import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { mayEdit } from "../catalog/permission";
import type { System } from "../api/catalog";
import { memoriesQuery } from "../api/memories";
import { holds, meQuery } from "../api/session";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { MemoryForm, useMemoryFormAhead } from "./formbeside";
import { MemoryRow } from "./MemoryRow";

/** Memories of a system, for readers with access to memories. */
export function SystemMemories({ system }: { system: System }) {
  const { data: me } = useQuery(meQuery);
  if (!holds(me, "ai.memory.read")) return null;
  return <SharedMemories system={system} writable={holds(me, "ai.memory.manage")} />;
}

function SharedMemories({ system, writable }: { system: System; writable: boolean }) {
  const toast = useToast();
  const [adding, setAdding] = useState(false);
  useMemoryFormAhead(writable && mayEdit(system));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    memoriesQuery({ systemId: system.id }),
  );
  const memories = data?.pages.flatMap((page) => page.memories);
  return (
    <Panel
      actions={
        writable &&
        mayEdit(system) && (
          <Button icon="plus" onClick={() => setAdding(true)} variant="quiet">
            Add memory
          </Button>
        )
      }
      title="Assistant memory"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!memories && !error && <SkeletonRows rows={1} />}
      {memories?.length === 0 && <p className="text-sm text-muted-foreground">No memories about this system.</p>}
      {memories && memories.length > 0 && (
        <ul aria-label="Memories" className="divide-y">
          {memories.map((memory) => (
            <li className="py-3 first:pt-0 last:pb-0" key={memory.id}>
              <MemoryRow memory={memory} onSystem writable={writable} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} className="mt-3" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      <Suspense>
        {adding && (
          <MemoryForm
            onClose={() => setAdding(false)}
            onSaved={() => {
              toast("Memory saved");
              setAdding(false);
            }}
            system={system}
          />
        )}
      </Suspense>
    </Panel>
  );
}
