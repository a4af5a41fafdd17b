import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { holds, meQuery } from "../api/session";
import { skillsQuery, type SkillSummary, type SkillTarget } from "../api/skills";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
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
  const { data, error, refetch } = useQuery(skillsQuery);
  const [creating, setCreating] = useState(false);
  const skills = data && filterSkills(data, filter, me?.id);
  const filtered = Boolean(filter.query || filter.source || filter.target);
  const change = (changes: SkillFilter) =>
    void navigate({ to: "/skills", search: { ...filter, ...changes }, replace: true });

  return (
    <Page
      actions={
        holds(me, "ai.skill-create.manage") && (
          <Button data-testid="new-skill" icon="plus" onClick={() => setCreating(true)} variant="primary">
            New skill
          </Button>
        )
      }
      description="Ready-made instructions for the assistant. Choose one in a chat, or for the analysis of an automation."
      testId="skills-page"
      title="AI skills"
    >
      <div className="flex flex-wrap items-center gap-2">
        <label className="relative block min-w-60 flex-1 sm:max-w-md">
          <span className="sr-only">Search skills</span>
          <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
          <input
            className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
            data-testid="skills-search"
            onChange={(event) => change({ query: event.currentTarget.value || undefined })}
            placeholder="Search by name, description, tag or author"
            type="search"
            value={filter.query ?? ""}
          />
        </label>
        <Select
          label="Use"
          onChange={(target) => change({ target })}
          options={targets}
          testId="skills-target"
          value={filter.target}
        />
        <Select
          label="Written by"
          onChange={(source) => change({ source })}
          options={sources}
          testId="skills-source"
          value={filter.source}
        />
      </div>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!skills && !error && <SkeletonRows />}
      {skills?.length === 0 && (
        <EmptyState
          action={
            filtered && <Button onClick={() => void navigate({ to: "/skills", search: {} })}>Show all skills</Button>
          }
          title={
            filter.source === "own" && !filter.query && !filter.target
              ? "You have not written a skill yet"
              : "No skill matches"
          }
        >
          {filter.source === "own" && !filter.query
            ? "Write one, or copy a skill that comes close."
            : "Try another word or another filter."}
        </EmptyState>
      )}
      {skills && skills.length > 0 && (
        <Rows label="Skills">
          {skills.map((skill) => (
            <SkillRow key={skill.id} myId={me?.id} skill={skill} />
          ))}
        </Rows>
      )}
      {creating && (
        <SkillForm
          initial={emptyDraft}
          onClose={() => setCreating(false)}
          onSaved={(skill) => {
            toast(`${skill.name} was published`);
            void navigate({ to: "/skills/$skillId", params: { skillId: skill.id } });
          }}
        />
      )}
    </Page>
  );
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

interface SelectProps<Value extends string> {
  label: string;
  options: { value: Value | undefined; label: string }[];
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  testId: string;
}

function Select<Value extends string>({ label, options, value, onChange, testId }: SelectProps<Value>) {
  return (
    <select
      aria-label={label}
      className="rounded-lg border border-input bg-card px-3 py-2 text-sm"
      data-testid={testId}
      onChange={(event) => onChange(options.find((option) => option.value === event.currentTarget.value)?.value)}
      value={value ?? ""}
    >
      {options.map((option) => (
        <option key={option.label} value={option.value ?? ""}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
