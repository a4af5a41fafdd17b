import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { holds, meQuery } from "../api/session";
import { deleteSkill, skillQuery, skillsKey, type OutputField, type Skill } from "../api/skills";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import { activeSkills, draftKey } from "./active";
import { copyOf, draftOf } from "./draft";
import { authorOf, targetLabels } from "./filter";
import { SkillForm } from "./SkillForm";

const route = getRouteApi("/app/skills/$skillId");

export function SkillPage() {
  const { skillId } = route.useParams();
  const { data: skill, error, refetch } = useQuery(skillQuery(skillId));
  if (skill) return <SkillDetail key={skill.id} skill={skill} />;
  return (
    <Page title="Skill">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
      <AllSkills />
    </Page>
  );
}

function AllSkills() {
  return (
    <Link className="text-sm underline underline-offset-2" search={{}} to="/skills">
      All skills
    </Link>
  );
}

function SkillDetail({ skill }: { skill: Skill }) {
  const toast = useToast();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<"edit" | "copy" | "delete" | null>(null);
  const close = () => setOpen(null);
  const chat = () => {
    activeSkills.set(draftKey, skill);
    void navigate({ to: "/chat" });
  };
  return (
    <Page
      actions={
        <>
          {holds(me, "ai.skill-create.manage") && (
            <Button data-testid="copy-skill" icon="copy" onClick={() => setOpen("copy")}>
              Make a copy
            </Button>
          )}
          {skill.editable && (
            <>
              <Button data-testid="edit-skill" icon="pencil" onClick={() => setOpen("edit")}>
                Edit
              </Button>
              <Button data-testid="delete-skill" icon="trash" onClick={() => setOpen("delete")}>
                Delete
              </Button>
            </>
          )}
          {skill.targets.includes("chat") && (
            <Button data-testid="use-skill" icon="chat" onClick={chat} variant="primary">
              Use in a new chat
            </Button>
          )}
        </>
      }
      description={skill.description}
      testId="skill-page"
      title={skill.name}
    >
      <p className="-mt-2 flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
        <AllSkills />
        {skill.targets.map((target) => (
          <Badge key={target} tone="primary">
            {targetLabels[target]}
          </Badge>
        ))}
        {skill.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        <span className="ml-auto text-xs">
          {authorOf(skill, me?.id)}
          {skill.updatedAt && `, changed ${fullTime(skill.updatedAt)}`}
        </span>
      </p>
      {skill.systemPrompt && (
        <Panel title="Instructions">
          <Text testId="skill-prompt">{skill.systemPrompt}</Text>
        </Panel>
      )}
      {skill.promptTemplate && (
        <Panel title={skill.targets.includes("ai_analyze") ? "Question" : "Beginning of the message"}>
          <Text testId="skill-template">{skill.promptTemplate}</Text>
        </Panel>
      )}
      {skill.suggestedOutputFields.length > 0 && <OutputFields fields={skill.suggestedOutputFields} />}
      {open === "edit" && (
        <SkillForm
          initial={draftOf(skill)}
          onClose={close}
          onSaved={() => {
            toast("Saved");
            close();
          }}
          skill={skill}
        />
      )}
      {open === "copy" && (
        <SkillForm
          initial={copyOf(skill)}
          onClose={close}
          onSaved={(copy) => {
            toast(`${copy.name} was published`);
            close();
            void navigate({ to: "/skills/$skillId", params: { skillId: copy.id } });
          }}
        />
      )}
      {open === "delete" && <DeleteSkill onClose={close} skill={skill} />}
    </Page>
  );
}

/** Shown as it is written, because that is what the model reads. */
function Text({ children, testId }: { children: ReactNode; testId: string }) {
  return (
    <pre className="font-sans text-sm whitespace-pre-wrap wrap-anywhere" data-testid={testId}>
      {children}
    </pre>
  );
}

function OutputFields({ fields }: { fields: OutputField[] }) {
  return (
    <Panel title="Values of the answer">
      <dl className="flex flex-col divide-y">
        {fields.map((field) => (
          <div className="py-2 first:pt-0 last:pb-0" data-testid="skill-field" key={field.key}>
            <dt className="flex flex-wrap items-center gap-2 text-sm">
              <code className="font-mono">{field.key}</code>
              <Badge>{field.type}</Badge>
              {field.options && <span className="text-muted-foreground">{field.options.join(" · ")}</span>}
            </dt>
            <dd className="text-sm text-muted-foreground wrap-anywhere">{field.description}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function DeleteSkill({ skill, onClose }: { skill: Skill; onClose: () => void }) {
  const toast = useToast();
  const navigate = useNavigate();
  const remove = useWrite({
    send: deleteSkill,
    onSuccess: () => {
      toast(`${skill.name} was deleted`);
      void navigate({ to: "/skills", search: {} });
    },
    // After the page is left: a deleted skill need not be read again.
    invalidates: [[...skillsKey, "list"]],
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete skill"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(skill)}
      title={`Delete ${skill.name}?`}
    >
      Nobody can use it any more, and chats that use it go on without it. This cannot be undone.
    </ConfirmDialog>
  );
}
