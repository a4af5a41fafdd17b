import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { deliveriesQuery, notificationRules, type Delivery, type DeliveryState } from "../api/notifications";
import { holds, meQuery } from "../api/session";
import { Badge } from "../ui/Badge";
import { SelectFilter, ToggleFilter } from "../ui/Filters";
import { ListPage, pagedList } from "../ui/ListPage";
import { LocalLink } from "../ui/LocalLink";
import { Row } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { aboutLink, aboutName, kindNames, stateNames, stateTones } from "./words";

const route = getRouteApi("/app/settings/notifications/deliveries");

const states: { value: DeliveryState | undefined; label: string }[] = [
  { value: undefined, label: "All states" },
  ...(Object.entries(stateNames) as [DeliveryState, string][]).map(([value, label]) => ({ value, label })),
];

const whose = [
  { value: undefined, label: "To me" },
  { value: "all" as const, label: "To everybody" },
];

/** The log of deliveries: what was sent, what waits, and why something was not sent. */
export function DeliveriesPage() {
  const { state, all } = route.useSearch();
  const navigate = useNavigate();
  const now = useNow(60_000);
  const { data: me } = useQuery(meQuery);
  const query = useInfiniteQuery(deliveriesQuery(all ?? false, { state }));
  const search = (next: { state?: DeliveryState; all?: true }) =>
    void navigate({ to: "/settings/notifications/deliveries", search: next, replace: true });
  return (
    <ListPage<Delivery>
      description="Each message to one of the channels, with how it ended. It goes back 90 days."
      empty={{ title: state ? "No such delivery" : "Nothing was sent yet" }}
      filters={
        <>
          <SelectFilter
            label="State"
            onChange={(value) => search({ state: value, all })}
            options={states}
            testId="delivery-state"
            value={state}
          />
          {holds(me, notificationRules.log) && (
            <ToggleFilter
              label="Whose"
              onChange={(value) => search({ state, all: value === "all" ? true : undefined })}
              options={whose}
              testId="delivery-whose"
              value={all ? "all" : undefined}
            />
          )}
        </>
      }
      itemKey={({ id }) => id}
      list={pagedList(query, (page) => page.deliveries)}
      name={aboutName}
      noun="delivery"
      row={(delivery) => <DeliveryRow delivery={delivery} now={now} />}
      testId="deliveries-page"
      title="Delivered notifications"
    />
  );
}

function DeliveryRow({ delivery, now }: { delivery: Delivery; now: number }) {
  const link = aboutLink(delivery);
  const { state, sending, reason, attempts, tries, createdAt, nextAt, endedAt } = delivery;
  const to = delivery.personName ? `${delivery.personName}, ` : "";
  return (
    <Row
      badges={
        <>
          <Badge tone={stateTones[state]}>{sending ? "Being sent" : stateNames[state]}</Badge>
          {delivery.urgent && <Badge tone="warning">Call</Badge>}
        </>
      }
      detail={
        <>
          <p>
            {to}
            {delivery.channelName || "a deleted channel"} ({kindNames[delivery.channelKind]}) ·{" "}
            <span title={fullTime(endedAt ?? createdAt)}>{timeAgo(endedAt ?? createdAt, now)}</span>
            {attempts > 1 && ` · ${attempts} attempts`}
            {nextAt && state === "waiting" && (
              <span title={fullTime(nextAt)}> · looked at again at {fullTime(nextAt)}</span>
            )}
          </p>
          {reason && <p className={state === "failed" ? "text-danger" : undefined}>{reason}</p>}
          {tries.length > 1 && (
            <details className="mt-1">
              <summary>Attempts</summary>
              <ol className="list-decimal pl-5">
                {tries.map((one) => (
                  <li key={one.at}>
                    {fullTime(one.at)}: {one.reason || stateNames.sent.toLowerCase()}
                  </li>
                ))}
              </ol>
            </details>
          )}
        </>
      }
      title={
        link ? (
          <LocalLink className="text-primary underline-offset-2 hover:underline" href={link}>
            {aboutName(delivery)}
          </LocalLink>
        ) : (
          aboutName(delivery)
        )
      }
    />
  );
}
