import { Link, type LinkProps } from "@tanstack/react-router";

export interface Tab {
  to: LinkProps["to"];
  label: string;
}

/** Navigation between the pages of one area. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-b px-4 pt-2 sm:px-8">
      {tabs.map((tab) => (
        <Link
          activeProps={{ className: "border-primary text-foreground", "aria-current": "page" }}
          className="-mb-px border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap"
          inactiveProps={{ className: "border-transparent text-muted-foreground hover:text-foreground" }}
          key={tab.label}
          to={tab.to}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
