import { useQuery } from "@tanstack/react-query";
import { holds, meQuery } from "../api/session";
import { administrationRules } from "../shell/administration";
import { Page } from "../ui/Page";
import { HistoryRetention } from "./HistoryRetention";
import { ParkedEvents } from "./ParkedEvents";

/** Operator's page: retention of check history, and failed events (dead letters). */
export function OperationsPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <Page
      description="For how long history of checks is kept, and what parts of the product could not handle."
      testId="operations-page"
      title="Operations"
    >
      {holds(me, administrationRules.history) && <HistoryRetention />}
      {holds(me, administrationRules.events) && <ParkedEvents />}
    </Page>
  );
}
