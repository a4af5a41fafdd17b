import { Autocomplete } from "@base-ui/react/autocomplete";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { meQuery } from "../api/session";
import { skillsQuery, type SkillSummary } from "../api/skills";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { authorOf, filterSkills } from "./filter";

interface SkillPickerProps {
  activeId: string | undefined;
  onPick: (skill: SkillSummary) => void;
  onClose: () => void;
}

/** Chooses the skill of a chat: type to search, arrows to move, Enter to take one. */
export function SkillPicker({ activeId, onPick, onClose }: SkillPickerProps) {
  const { data, error, refetch } = useQuery(skillsQuery);
  const { data: me } = useQuery(meQuery);
  const [query, setQuery] = useState("");
  const skills = data && filterSkills(data, { target: "chat", query }, me?.id);

  return (
    <Dialog onClose={onClose} testId="skill-picker" title="Choose a skill" wide>
      <p className="text-sm text-muted-foreground">The assistant follows it in this chat until you remove it.</p>
      <Autocomplete.Root
        autoHighlight="always"
        filter={null}
        inline
        itemToStringValue={(skill: SkillSummary) => skill.name}
        items={skills ?? []}
        keepHighlight
        loopFocus={false}
        onValueChange={(typed, { reason }) => reason === "input-change" && setQuery(typed)}
        open
        value={query}
      >
        <div className="relative mt-3">
          <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
          <Autocomplete.Input
            aria-label="Search skills"
            className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
            data-testid="skill-search"
            placeholder="Search by name, description, tag or author"
            type="search"
          />
        </div>
        <div className="mt-3">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          {!skills && !error && <SkeletonRows rows={3} />}
          <Autocomplete.Empty>
            {skills && (
              <p className="py-6 text-center text-sm text-muted-foreground" data-testid="skill-none">
                {query ? `No skill matches “${query}”.` : "There are no skills for chats."}
              </p>
            )}
          </Autocomplete.Empty>
          <Autocomplete.List aria-label="Skills" className="-mx-2 flex max-h-[50dvh] flex-col overflow-y-auto">
            {(skill: SkillSummary) => (
              <Autocomplete.Item
                className="flex cursor-pointer items-start gap-3 rounded-lg px-2 py-2 data-highlighted:bg-muted"
                data-testid="skill-option"
                key={skill.id}
                onClick={() => onPick(skill)}
                value={skill}
              >
                <Icon className="mt-0.5 text-primary" name={skill.id === activeId ? "check" : "skill"} size={18} />
                <span className="min-w-0 flex-1">
                  <span className="flex flex-wrap items-baseline justify-between gap-x-3">
                    <span className="min-w-0 text-sm font-medium wrap-anywhere">{skill.name}</span>
                    <span className="text-xs text-muted-foreground">
                      {skill.id === activeId ? "Active" : authorOf(skill, me?.id)}
                    </span>
                  </span>
                  <span className="block text-sm text-muted-foreground wrap-anywhere">{skill.description}</span>
                </span>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </div>
      </Autocomplete.Root>
      <p className="mt-3 flex flex-wrap justify-between gap-2 text-xs text-muted-foreground">
        <span className="pointer-coarse:hidden">↑ ↓ to move, Enter to choose, Esc to close</span>
        <Link className="underline underline-offset-2" search={{ target: "chat" }} to="/skills">
          Manage skills
        </Link>
      </p>
    </Dialog>
  );
}
