import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Problem } from "../api/problem";
import { meQuery } from "../api/session";
import { skillQuery } from "../api/skills";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import type { ActiveSkill } from "./active";
import { authorOf } from "./filter";

/** Says above the composer which skill the next message goes out with. */
export function SkillBanner({ skill, onRemove }: { skill: ActiveSkill; onRemove: () => void }) {
  const { data, error } = useQuery(skillQuery(skill.id));
  const { data: me } = useQuery(meQuery);
  const gone = isGone(error);
  return (
    <div
      className={
        "mb-2 flex items-center gap-2 rounded-lg py-1 pr-1 pl-3 text-sm " +
        (gone ? "bg-warning-soft text-warning" : "bg-primary-soft text-primary")
      }
      data-testid="skill-banner"
      role="status"
    >
      <Icon name={gone ? "alert" : "skill"} size={16} />
      <span className="min-w-0 flex-1 truncate">
        {gone ? (
          `The skill ${skill.name} is no longer available and is not used.`
        ) : (
          <>
            Skill:{" "}
            <Link
              className="font-medium underline-offset-2 hover:underline"
              params={{ skillId: skill.id }}
              to="/skills/$skillId"
            >
              {data?.name ?? skill.name}
            </Link>
            {data && <span className="opacity-80 max-sm:hidden"> · {authorOf(data, me?.id)}</span>}
          </>
        )}
      </span>
      <IconButton
        className="text-current hover:text-current"
        data-testid="remove-skill"
        icon="close"
        label={`Stop using the skill ${skill.name}`}
        onClick={onRemove}
      />
    </div>
  );
}

/** Deleted, or taken away from this person: the server would refuse a message with it. */
export function isGone(error: Error | null): boolean {
  return error instanceof Problem && (error.status === 404 || error.status === 403);
}
