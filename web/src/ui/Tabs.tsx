import { Link, useLocation, type LinkProps } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

export interface Tab {
  to: LinkProps["to"];
  label: string;
}

/** Navigation between the pages of one area. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const row = useRef<HTMLElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  // On a narrow screen the tab of the open page may be beyond the edge.
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (row.current && current)
      row.current.scrollLeft = current.offsetLeft - (row.current.clientWidth - current.offsetWidth) / 2;
    // The tab that is current depends on the path through the element.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [pathname]);
  return (
    <nav
      aria-label={label}
      className="relative flex shrink-0 gap-1 overflow-x-auto border-b px-4 pt-2 sm:px-8"
      ref={row}
    >
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
