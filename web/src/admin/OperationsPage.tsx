import { useQuery } from "@tanstack/react-query";
import { notificationRules } from "../api/notifications";
import { holds, meQuery } from "../api/session";
import { MailPanel } from "../notifications/MailPanel";
import { administrationRules } from "../shell/administration";
import { Page } from "../ui/Page";
import { EventConsumers } from "./EventConsumers";
import { HistoryRetention } from "./HistoryRetention";
import { ParkedEvents } from "./ParkedEvents";

/** Operator's page: mail server, retention of check history, event consumers and failed events (dead letters). */
export function OperationsPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <Page
      description="Mail server, retention of check history, event consumers and failed events."
      testId="operations-page"
      title="Operations"
    >
      {holds(me, notificationRules.settings) && <MailPanel />}
      {holds(me, administrationRules.history) && <HistoryRetention />}
      {holds(me, administrationRules.events) && <EventConsumers />}
      {holds(me, administrationRules.events) && <ParkedEvents />}
    </Page>
  );
}
