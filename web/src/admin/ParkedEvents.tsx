import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { eventsKey, parkedQuery, retryEvent, skipEvent, type ParkedEvent } from "../api/events";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

/** Events that parts of the product have given up, to be tried again or skipped. */
export function ParkedEvents() {
  const parked = useInfiniteQuery(parkedQuery);
  const list = parked.data?.pages.flatMap((page) => page.events);
  return (
    <Panel
      actions={
        <Button icon="repeat" onClick={() => void parked.refetch()}>
          Refresh
        </Button>
      }
      title="Failed events"
    >
      {!list && (parked.error ? <ErrorNotice error={parked.error} /> : <SkeletonRows rows={2} />)}
      {list?.length === 0 && <p className="text-sm text-muted-foreground">No failed events. Retries are automatic.</p>}
      {list && list.length > 0 && (
        <ul aria-label="Failed events" className="-m-4 divide-y">
          {list.map((event) => (
            <Parked event={event} key={`${event.consumer} ${event.eventId}`} />
          ))}
        </ul>
      )}
      {parked.hasNextPage && (
        <Button busy={parked.isFetchingNextPage} className="mt-6" onClick={() => void parked.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Panel>
  );
}

function Parked({ event }: { event: ParkedEvent }) {
  const toast = useToast();
  const [skipping, setSkipping] = useState(false);
  const retry = useWrite({
    send: retryEvent,
    invalidates: [eventsKey],
    onSuccess: () => toast("The event is being retried"),
  });
  const skip = useWrite({
    send: skipEvent,
    invalidates: [eventsKey],
    onSuccess: () => {
      setSkipping(false);
      toast("The event is skipped");
    },
  });
  return (
    <li className="flex flex-wrap items-start gap-3 px-4 py-3 text-sm" data-testid="parked-event">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{event.typeName || event.type}</span>
          <Badge>{event.consumer}</Badge>
        </p>
        <p className="text-muted-foreground wrap-anywhere">
          <code className="font-mono text-xs">{event.subject}</code>, given up {fullTime(event.parkedAt)} after{" "}
          {event.attempts} attempts
        </p>
        <p className="wrap-anywhere">{event.error}</p>
        <ErrorNotice error={retry.error} />
      </div>
      <div className="flex gap-2">
        <Button busy={retry.isPending} onClick={() => retry.mutate(event)}>
          Try again
        </Button>
        <Button onClick={() => setSkipping(true)} variant="quiet">
          Skip
        </Button>
      </div>
      {skipping && (
        <ConfirmDialog
          busy={skip.isPending}
          confirmLabel="Skip it"
          error={skip.error}
          onClose={() => setSkipping(false)}
          onConfirm={() => skip.mutate(event)}
          title="Skip this event?"
        >
          {event.consumer} never handles it. This cannot be undone.
        </ConfirmDialog>
      )}
    </li>
  );
}
