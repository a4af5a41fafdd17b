import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { erasuresQuery, keptPeopleQuery, type Erasure, type KeptContent, type KeptPerson } from "../api/privacy";
import { holds, meQuery, settingsQuery, workflowUrl } from "../api/session";
import { administrationRules } from "../shell/administration";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { fullTime } from "../ui/time";
import { EraseDialog } from "./EraseDialog";
import { RetentionPanel } from "./RetentionPanel";

/** Retention of conversations, and erasure of a person's data. */
export function PrivacyPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <Page
      description="Retention of conversations, and erasure of a person's data."
      testId="privacy-page"
      title="Privacy"
    >
      {holds(me, administrationRules.retention) && <RetentionPanel />}
      {holds(me, administrationRules.privacy) && <Requests />}
    </Page>
  );
}

function Requests() {
  const { data: people, error, refetch } = useQuery(keptPeopleQuery);
  const [search, setSearch] = useState("");
  const [erasing, setErasing] = useState<KeptPerson | null>(null);
  const wanted = search.trim().toLowerCase();
  const found = people
    ?.filter((person) => [person.name, person.email, person.id].some((text) => text.toLowerCase().includes(wanted)))
    .toSorted((a, b) => b.conversations - a.conversations);
  return (
    <>
      <section aria-labelledby="kept-people" className="flex flex-col gap-3">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <div>
            <h2 className="font-semibold" id="kept-people">
              Privacy requests
            </h2>
            <p className="text-sm text-muted-foreground">Erase all conversation data of a person.</p>
          </div>
          <input
            aria-label="Search people"
            className="w-full rounded-lg border border-input bg-card px-3 py-2 text-sm sm:w-64"
            onChange={(event) => setSearch(event.currentTarget.value)}
            placeholder="Search people"
            type="search"
            value={search}
          />
        </div>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {!people && !error && <SkeletonRows />}
        {people?.length === 0 && <EmptyState title="No stored conversations">There is nothing to delete.</EmptyState>}
        {people && people.length > 0 && found?.length === 0 && (
          <EmptyState title="No matching people">Try another name.</EmptyState>
        )}
        {found && found.length > 0 && (
          <Rows itemKey={({ id }) => id} items={found} label="People">
            {(person) => (
              <Row
                actions={
                  <Button data-testid="erase" icon="trash" onClick={() => setErasing(person)}>
                    Erase
                  </Button>
                }
                badges={person.email === "" && <Badge tone="warning">account deleted</Badge>}
                detail={`${person.email || person.id} · ${plural(person.conversations, "conversation")}`}
                title={person.name || "Unknown person"}
              />
            )}
          </Rows>
        )}
      </section>
      <Erasures />
      {erasing && <EraseDialog onClose={() => setErasing(null)} person={erasing} />}
    </>
  );
}

function Erasures() {
  const queryClient = useQueryClient();
  const { data: erasures, error, refetch } = useQuery(erasuresQuery);
  const finished = erasures?.filter((erasure) => erasure.finishedAt).length;
  useEffect(() => {
    // An erased person is not listed any more.
    if (finished) void queryClient.invalidateQueries({ queryKey: keptPeopleQuery.queryKey });
  }, [queryClient, finished]);
  const { data: settings } = useQuery(settingsQuery);
  if (erasures?.length === 0) return null;
  return (
    <section aria-labelledby="erasures" className="flex flex-col gap-3">
      <h2 className="font-semibold" id="erasures">
        Erasures
      </h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!erasures && !error && <SkeletonRows rows={2} />}
      {erasures && (
        <Rows itemKey={({ id }) => id} items={erasures} label="Erasures">
          {(erasure) => <ErasureRow erasure={erasure} link={workflowUrl(settings, `erasure/${erasure.id}`)} />}
        </Rows>
      )}
    </section>
  );
}

function ErasureRow({ erasure, link }: { erasure: Erasure; link: string | null }) {
  return (
    <Row
      actions={
        link && (
          <a
            className="text-sm text-primary underline-offset-2 hover:underline"
            href={link}
            rel="noreferrer"
            target="_blank"
          >
            Workflow
          </a>
        )
      }
      badges={erasure.finishedAt ? <Badge tone="success">finished</Badge> : <Badge tone="primary">running</Badge>}
      detail={
        `${counted(erasure.deleted)} deleted · requested by ` +
        `${erasure.requestedByName || "a deleted account"}, ${fullTime(erasure.requestedAt)}`
      }
      title={erasure.personName || <span className="font-mono text-sm font-normal">{erasure.personId}</span>}
    />
  );
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** "2 conversations, 14 messages, 1 proposal". */
export function counted(content: KeptContent): string {
  return [
    plural(content.conversations, "conversation"),
    plural(content.messages, "message"),
    plural(content.proposals, "proposal"),
  ].join(", ");
}
