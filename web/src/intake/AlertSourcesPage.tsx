import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { alertSourcesQuery, deleteAlertSource, intakeRules, type AlertSource } from "../api/intake";
import { holds, meQuery } from "../api/session";
import { Badge } from "../ui/Badge";
import { IconButton } from "../ui/IconButton";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { AlertSourceForm } from "./AlertSourceForm";
import { RotateDialog, ShownOnce, TryDialog, type Once } from "./dialogs";
import { kindLabels } from "./words";

const editable = ({ access }: AlertSource) => access === "owner";

/** The sources of alerts, and whether something arrives. */
export function AlertSourcesPage() {
  const { data: me } = useQuery(meQuery);
  const now = useNow(60_000);
  const [shown, setShown] = useState<Once | null>(null);
  const [trying, setTrying] = useState<AlertSource | null>(null);
  const [rotating, setRotating] = useState<AlertSource | null>(null);
  return (
    <>
      <ListPage
        create={
          holds(me, intakeRules.manage)
            ? (close) => <AlertSourceForm onClose={close} onCreated={setShown} />
            : undefined
        }
        description="Alerts of other products, which open, update and resolve incidents."
        edit={(source, close) => <AlertSourceForm onClose={close} onCreated={setShown} source={source} />}
        editable={editable}
        empty={{
          title: "No source of alerts yet",
          hint: "Alertmanager, Grafana, Uptime Kuma, CloudWatch or your own program can send alerts.",
        }}
        history={({ id }) => ({ type: "intake.source", id })}
        itemKey={({ id }) => id}
        list={wholeList(useQuery(alertSourcesQuery))}
        name={({ name }) => name}
        noun="source"
        removable={editable}
        remove={{
          send: deleteAlertSource,
          invalidates: [alertSourcesQuery.queryKey],
          warning: "Its address stops working at once, and what it has sent is deleted. Its incidents stay.",
        }}
        row={(source, actions) => (
          <Row
            actions={
              <>
                <IconButton icon="play" label={`Try a payload of ${source.name}`} onClick={() => setTrying(source)} />
                {editable(source) && (
                  <IconButton
                    icon="repeat"
                    label={`Replace the secret of ${source.name}`}
                    onClick={() => setRotating(source)}
                  />
                )}
                {actions}
              </>
            }
            badges={
              <>
                {!source.enabled && <Badge tone="warning">off</Badge>}
                {source.firing > 0 && <Badge tone="danger">{source.firing} firing</Badge>}
                {source.kind === "cloudwatch" && !source.confirmedAt && <Badge tone="warning">not subscribed</Badge>}
              </>
            }
            detail={
              <>
                <p>
                  {kindLabels[source.kind]} ·{" "}
                  {source.named.map(({ name }) => name ?? "a system that you cannot see").join(", ")}
                </p>
                <p className="text-xs">
                  {source.receivedAt ? (
                    <span title={fullTime(source.receivedAt)}>Last received {timeAgo(source.receivedAt, now)}</span>
                  ) : (
                    "Nothing received yet"
                  )}
                  {source.refusedAt && (
                    <span title={fullTime(source.refusedAt)}>
                      {" "}
                      · last refused {timeAgo(source.refusedAt, now)}: {source.refusedReason}
                    </span>
                  )}
                </p>
              </>
            }
            title={source.name}
          />
        )}
        title="Alert sources"
      />
      {shown && <ShownOnce onClose={() => setShown(null)} shown={shown} />}
      {trying && <TryDialog onClose={() => setTrying(null)} source={trying} />}
      {rotating && (
        <RotateDialog
          onClose={() => setRotating(null)}
          onReplaced={(replaced) => {
            setRotating(null);
            setShown(replaced);
          }}
          source={rotating}
        />
      )}
    </>
  );
}
