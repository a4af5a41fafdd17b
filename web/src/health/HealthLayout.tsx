import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { healthRules } from "../api/health";
import { holds, meQuery } from "../api/session";
import { Tabs, type Tab } from "../ui/Tabs";

const tabs: (Tab & { rules: readonly string[] })[] = [
  { to: "/health/systems", label: "Systems", rules: [healthRules.status] },
  { to: "/health/checks", label: "Checks", rules: [healthRules.read, healthRules.manage] },
  { to: "/health/locations", label: "Locations", rules: [healthRules.status] },
];

export function HealthLayout() {
  const { data: me } = useQuery(meQuery);
  return (
    <div className="flex h-full flex-col">
      <Tabs label="Health" tabs={tabs.filter(({ rules }) => rules.some((rule) => holds(me, rule)))} />
      <div className="min-h-0 flex-1">
        <Outlet />
      </div>
    </div>
  );
}
