import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { meQuery } from "../api/session";
import { administers, pagesOf } from "../shell/destinations";
import { Page } from "../ui/Page";
import { Tabs } from "../ui/Tabs";

export function AdminLayout() {
  const { data: me } = useQuery(meQuery);
  if (me && !administers(me)) {
    return (
      <Page title="Administration">
        <p className="text-muted-foreground">
          Your roles do not include administration. Ask an administrator for access.
        </p>
      </Page>
    );
  }
  return (
    <div className="flex h-full flex-col">
      <Tabs label="Administration" tabs={pagesOf(me)} />
      <div className="min-h-0 flex-1">
        <Outlet />
      </div>
    </div>
  );
}
