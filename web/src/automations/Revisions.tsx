import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { rollBackAutomation } from "../api/automationcalls";
import { automationRevisionsQuery, automationsKey, type Automation, type AutomationRevision } from "../api/automations";
import { useWrite } from "../api/write";
import { mayEdit } from "../catalog/permission";
import { DiffView } from "../proposals/ChangeView";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

/** The definitions that an automation had, what differs from the current one, and the way back to one. */
export function Revisions({ automation }: { automation: Automation }) {
  const revisions = useInfiniteQuery(automationRevisionsQuery(automation.id));
  const list = revisions.data?.pages.flatMap((page) => page.revisions);
  return (
    <Panel title="Revisions">
      <ErrorNotice error={revisions.error} onRetry={() => void revisions.refetch()} />
      {!list && !revisions.error && <SkeletonRows rows={2} />}
      <ul aria-label="Revisions" className="flex flex-col gap-3" data-testid="revisions">
        {list?.map((revision) => (
          <RevisionRow automation={automation} key={revision.revision} revision={revision} />
        ))}
      </ul>
      {revisions.hasNextPage && (
        <Button
          busy={revisions.isFetchingNextPage}
          className="mx-auto mt-3 flex"
          onClick={() => void revisions.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Panel>
  );
}

function RevisionRow({ automation, revision }: { automation: Automation; revision: AutomationRevision }) {
  const [open, setOpen] = useState(false);
  const toast = useToast();
  const back = useWrite({
    send: (to: number, key) => rollBackAutomation(automation, to, key),
    invalidates: [automationsKey],
    onSuccess: () => toast(`Back at the definition of revision ${revision.revision}`),
  });
  const current = revision.revision === automation.definitionRevision;
  return (
    <li className="flex flex-col gap-2 text-sm" data-testid="revision">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Revision {revision.revision}</span>
        {current && <Badge tone="primary">Current</Badge>}
        <span className="min-w-0 flex-1 basis-44 text-muted-foreground wrap-anywhere">
          {revision.author.name || "A former account"}, {fullTime(revision.createdAt)}
        </span>
        {!current && (
          <span className="flex flex-wrap gap-1">
            <Button aria-expanded={open} onClick={() => setOpen(!open)} variant="quiet">
              {open ? "Hide changes" : "Changes since"}
            </Button>
            {mayEdit(automation) && (
              <Button
                busy={back.isPending}
                icon="repeat"
                onClick={() => back.mutate(revision.revision)}
                variant="quiet"
              >
                Go back to revision {revision.revision}
              </Button>
            )}
          </span>
        )}
      </div>
      <ErrorNotice error={back.error} />
      {open && (
        <DiffView
          changes={[
            { path: "definition", before: revision.text, after: automation.text },
            ...(revision.runAs === automation.runAs.id
              ? []
              : [{ path: "runAs", before: revision.runAs, after: automation.runAs.id }]),
          ]}
        />
      )}
    </li>
  );
}
