import { Link } from "@tanstack/react-router";
import type { System } from "../api/catalog";

/** Style of a link that looks like a badge. */
export const badgeLink =
  "inline-flex items-center rounded-full bg-muted px-2 py-0.5 text-xs font-medium " +
  "text-muted-foreground wrap-anywhere hover:text-foreground hover:underline";

/** The tags of a system, each as a link to all systems that have it. */
export function TagLinks({ tags }: { tags: System["tags"] | undefined }) {
  return tags?.map((tag) => (
    <Link className={badgeLink} data-testid="tag-link" key={tag} search={{ tag }} to="/catalog/systems">
      {tag}
    </Link>
  ));
}

export function TeamLink({ owner }: { owner: System["owners"][number] }) {
  return (
    <Link
      className="hover:text-primary hover:underline"
      data-testid="team-link"
      params={{ teamId: owner.teamId }}
      to="/catalog/teams/$teamId"
    >
      {owner.teamName}
    </Link>
  );
}

export function GroupLink({ id, name }: { id: string; name: string }) {
  return (
    <Link
      className="hover:text-primary hover:underline"
      data-testid="group-link"
      params={{ groupId: id }}
      to="/catalog/groups/$groupId"
    >
      {name}
    </Link>
  );
}
