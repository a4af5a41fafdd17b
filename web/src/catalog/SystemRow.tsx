import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { System } from "../api/catalog";
import { Row } from "../ui/Rows";
import { TagLinks, TeamLink } from "./links";

/** A system in a list, with its tags and the team that owns it. */
export function SystemRow({ system, actions }: { system: System; actions?: ReactNode }) {
  const owners = system.owners ?? [];
  return (
    <Row
      actions={
        <>
          <span className="min-w-0 text-sm wrap-anywhere text-muted-foreground">
            {owners.length === 0 && "No owner"}
            {owners.map((owner) => (
              <TeamLink key={owner.teamId} owner={owner} />
            ))}
          </span>
          {actions}
        </>
      }
      badges={<TagLinks tags={system.tags} />}
      detail={system.description || undefined}
      title={
        <Link
          className="hover:text-primary"
          data-testid="system-link"
          params={{ systemId: system.id }}
          to="/catalog/systems/$systemId"
        >
          {system.name}
        </Link>
      }
    />
  );
}
