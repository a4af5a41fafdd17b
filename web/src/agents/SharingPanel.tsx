import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { agentsKey, type Agent } from "../api/agents";
import { grantRules, grantsQuery } from "../api/grants";
import { holds, meQuery } from "../api/session";
import { mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { relations, subjectOf, subjectWords } from "./sharing";
import { SharingForm } from "./SharingForm";

const objectType = "agent.agent";

/** With whom an agent is shared. */
export function SharingPanel({ agent }: { agent: Agent }) {
  const { data: me } = useQuery(meQuery);
  const managesTeams = holds(me, grantRules.manage);
  const reads = holds(me, grantRules.read) || managesTeams;
  const manages = managesTeams || mayOwn(agent);
  const { data, error, refetch } = useQuery({ ...grantsQuery(objectType, agent.id), enabled: reads });
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      actions={
        manages &&
        data && (
          <Button data-testid="edit-sharing" icon="pencil" onClick={() => setEditing(true)} variant="quiet">
            Change
          </Button>
        )
      }
      title="Sharing"
    >
      <div className="flex flex-col gap-3 text-sm" data-testid="sharing">
        <p>
          {agent.private
            ? "Private: only those listed here can see and use it."
            : "Everybody with access to agents can use it, as can those listed here."}
        </p>
        <p className="text-muted-foreground">
          Viewers use its live tools. Editors also write its drafts. Owners also freeze, promote, archive, delete and
          share it.
        </p>
        {!reads && me && (
          <p className="text-muted-foreground">
            You are {agent.access === "viewer" ? "a viewer" : `an ${agent.access}`} of it. Seeing who else has access
            needs the right to see teams; owners change it.
          </p>
        )}
        {reads &&
          !data &&
          (error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} />)}
        {data && data.grants.length === 0 && <p className="text-muted-foreground">Not shared with anyone by name.</p>}
        {data && data.grants.length > 0 && (
          <ul aria-label="Shared with" className="divide-y rounded-lg border">
            {data.grants.map((grant) => (
              <li className="flex flex-wrap items-center gap-2 px-3 py-2" data-testid="grant" key={subjectOf(grant)}>
                <span className="min-w-0 flex-1 font-medium wrap-anywhere">{subjectWords(grant)}</span>
                <Badge>{relations[grant.relation]}</Badge>
              </li>
            ))}
          </ul>
        )}
        {managesTeams && (
          <p className="text-muted-foreground">Changing the access of teams needs the right to manage teams.</p>
        )}
      </div>
      {editing && data && (
        <SharingForm
          grants={data}
          hint="If off, everybody with access to agents can use it."
          invalidates={agentsKey}
          name={agent.name}
          object={{ type: objectType, id: agent.id }}
          onClose={() => setEditing(false)}
          relations={relations}
        />
      )}
    </Panel>
  );
}
