import { useQuery } from "@tanstack/react-query";
import { holds, meQuery } from "../api/session";
import { administrationRules } from "../shell/administration";
import { Page } from "../ui/Page";
import { HistoryRetention } from "./HistoryRetention";
import { ParkedEvents } from "./ParkedEvents";

/** What operators set and look after: for how long history of checks is kept, and events that could not be handled. */
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
