import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { holds, meQuery } from "../api/session";
import { skillsQuery, type SkillSummary, type SkillTarget } from "../api/skills";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { SelectFilter } from "../ui/Filters";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { useToast } from "../ui/Toast";
import { emptyDraft } from "./draft";
import { authorOf, filterSkills, targetLabels, type SkillFilter, type SkillSource } from "./filter";
import { SkillForm } from "./SkillForm";

const route = getRouteApi("/app/skills");

const targets: { value: SkillTarget | undefined; label: string }[] = [
  { value: undefined, label: "Any use" },
  { value: "chat", label: targetLabels.chat },
  { value: "ai_analyze", label: targetLabels.ai_analyze },
];
const sources: { value: SkillSource | undefined; label: string }[] = [
  { value: undefined, label: "Everybody's" },
  { value: "builtin", label: "Built in" },
  { value: "own", label: "Mine" },
];

/** All skills, to browse and to add to. */
export function SkillsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const { data: me } = useQuery(meQuery);
  const skills = useQuery(skillsQuery);
  const change = (changes: SkillFilter) =>
    void navigate({ to: "/skills", search: { ...filter, ...changes }, replace: true });
  return (
    <ListPage
      create={
        holds(me, "ai.skill-create.manage")
          ? (close) => (
              <SkillForm
                initial={emptyDraft}
                onClose={close}
                onSaved={(skill) => {
                  toast(`${skill.name} was published`);
                  void navigate({ to: "/skills/$skillId", params: { skillId: skill.id } });
                }}
              />
            )
          : undefined
      }
      description="Ready-made instructions for the assistant. Choose one in a chat, or for the analysis of an automation."
      empty={{
        ...emptyText(filter),
        action: (filter.query || filter.source || filter.target) && (
          <Button onClick={() => void navigate({ to: "/skills", search: {} })}>Show all skills</Button>
        ),
      }}
      filters={
        <>
          <SearchField
            label="Search skills"
            onSearch={(text) => change({ query: text || undefined })}
            placeholder="Search by name, description, tag or author"
            testId="skills-search"
            value={filter.query ?? ""}
          />
          <SelectFilter
            label="Use"
            onChange={(target) => change({ target })}
            options={targets}
            testId="skills-target"
            value={filter.target}
          />
          <SelectFilter
            label="Written by"
            onChange={(source) => change({ source })}
            options={sources}
            testId="skills-source"
            value={filter.source}
          />
        </>
      }
      itemKey={({ id }) => id}
      list={wholeList({ ...skills, data: skills.data && filterSkills(skills.data, filter, me?.id) })}
      name={({ name }) => name}
      noun="skill"
      row={(skill) => <SkillRow myId={me?.id} skill={skill} />}
      title="AI skills"
    />
  );
}

/** Text of an empty list. */
function emptyText({ source, query, target }: SkillFilter): { title: string; hint: string } {
  const mine = source === "own" && !query;
  return {
    title: mine && !target ? "You have not written a skill yet" : "No skill matches",
    hint: mine ? "Write one, or copy a similar skill." : "Try another word or another filter.",
  };
}

function SkillRow({ skill, myId }: { skill: SkillSummary; myId: string | undefined }) {
  return (
    <Row
      actions={<span className="text-sm text-muted-foreground max-sm:hidden">{authorOf(skill, myId)}</span>}
      badges={
        <>
          {skill.targets.map((target) => (
            <Badge key={target} tone="primary">
              {targetLabels[target]}
            </Badge>
          ))}
          {skill.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </>
      }
      detail={skill.description}
      title={
        <Link
          className="hover:text-primary"
          data-testid="skill-link"
          params={{ skillId: skill.id }}
          to="/skills/$skillId"
        >
          {skill.name}
        </Link>
      }
    />
  );
}
