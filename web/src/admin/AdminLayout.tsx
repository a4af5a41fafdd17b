import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { holds, meQuery } from "../api/session";
import { administers, administrationRules } from "../shell/administration";
import { Page } from "../ui/Page";
import { Tabs } from "../ui/Tabs";

const tabs = [
  { to: "/admin/connections", label: "Connections", rule: administrationRules.connections },
  { to: "/admin/users", label: "Users", rule: administrationRules.users },
  { to: "/admin/roles", label: "Roles", rule: administrationRules.roles },
  { to: "/admin/applications", label: "Applications", rule: administrationRules.applications },
  { to: "/admin/policies", label: "Tool policies", rule: administrationRules.policies },
  { to: "/admin/audit", label: "Audit log", rule: administrationRules.audit },
  { to: "/admin/privacy", label: "Privacy", rule: administrationRules.retention, or: administrationRules.privacy },
] as const;

export function AdminLayout() {
  const { data: me } = useQuery(meQuery);
  if (me && !administers(me)) {
    return (
      <Page title="Administration">
        <p className="text-muted-foreground">Your roles do not include administration. Ask an administrator for access.</p>
      </Page>
    );
  }
  return (
    <div className="flex h-full flex-col">
      <Tabs label="Administration" tabs={tabs.filter((tab) => holds(me, tab.rule) || ("or" in tab && holds(me, tab.or)))} />
      <div className="min-h-0 flex-1">
        <Outlet />
      </div>
    </div>
  );
}
