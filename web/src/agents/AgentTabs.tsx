import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { tabs, type TabId } from "./tabs";

interface AgentTabsProps {
  agentId: string;
  tab: TabId;
  /** Requested revision, which other tabs keep. */
  wanted: number | undefined;
}

/** Navigation between the parts of an agent's page. */
export function AgentTabs({ agentId, tab, wanted }: AgentTabsProps) {
  const row = useRef<HTMLElement>(null);
  // On a narrow screen the tab of the open part may be beyond the edge.
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (row.current && current)
      row.current.scrollLeft = current.offsetLeft - (row.current.clientWidth - current.offsetWidth) / 2;
    // The tab that is current depends on it through the element.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [tab]);
  return (
    <nav aria-label="Parts of the agent" className="relative flex shrink-0 gap-1 overflow-x-auto border-b" ref={row}>
      {tabs.map(({ id, label }) => (
        <Link
          activeProps={{}}
          aria-current={id === tab ? "page" : undefined}
          className={
            "-mb-px border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap " +
            (id === tab
              ? "border-primary text-foreground"
              : "border-transparent text-muted-foreground hover:text-foreground")
          }
          data-testid={`tab-${id}`}
          key={id}
          params={{ agentId }}
          search={{ tab: id === "tools" ? undefined : id, revision: wanted }}
          to="/agents/$agentId"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
