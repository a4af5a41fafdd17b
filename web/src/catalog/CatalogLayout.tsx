import { Outlet } from "@tanstack/react-router";
import { Tabs, type Tab } from "../ui/Tabs";

const tabs: Tab[] = [
  { to: "/catalog/systems", label: "Systems" },
  { to: "/catalog/groups", label: "Groups" },
  { to: "/catalog/environments", label: "Environments" },
  { to: "/catalog/teams", label: "Teams" },
];

export function CatalogLayout() {
  return (
    <div className="flex h-full flex-col">
      <Tabs label="Catalog" tabs={tabs} />
      <div className="min-h-0 flex-1">
        <Outlet />
      </div>
    </div>
  );
}
