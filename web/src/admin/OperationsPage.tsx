import { useQuery } from "@tanstack/react-query";
import { holds, meQuery } from "../api/session";
import { administrationRules } from "../shell/administration";
import { Page } from "../ui/Page";
import { EventConsumers } from "./EventConsumers";
import { HistoryRetention } from "./HistoryRetention";
import { ParkedEvents } from "./ParkedEvents";

/** Operator's page: retention of check history, event consumers and failed events (dead letters). */
export function OperationsPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <Page
      description="Retention of check history, event consumers and failed events."
      testId="operations-page"
      title="Operations"
    >
      {holds(me, administrationRules.history) && <HistoryRetention />}
      {holds(me, administrationRules.events) && <EventConsumers />}
      {holds(me, administrationRules.events) && <ParkedEvents />}
    </Page>
  );
}
