import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { holds, meQuery } from "../api/session";
import { deleteSkill, skillQuery, skillsKey, type OutputField, type Skill } from "../api/skills";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { DetailPage } from "../ui/DetailPage";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { activeSkills, newChatOf } from "./active";
import { copyOf, draftOf } from "./draft";
import { authorOf, targetLabels } from "./filter";
import { SkillForm } from "./SkillForm";

const route = getRouteApi("/app/skills/$skillId");
const trail: Crumb[] = [{ label: "Skills", link: { to: "/skills", search: {} } }];

export function SkillPage() {
  const { skillId } = route.useParams();
  const toast = useToast();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const skill = useQuery(skillQuery(skillId));
  const [copying, setCopying] = useState<string | null>(null);
  const chat = (chosen: Skill) => {
    activeSkills.set(newChatOf(me?.id ?? ""), chosen);
    void navigate({ to: "/chat" });
  };
  return (
    <DetailPage
      actions={({ id }) =>
        holds(me, "ai.skill-create.manage") && (
          <Button data-testid="copy-skill" icon="copy" onClick={() => setCopying(id)}>
            Make a copy
          </Button>
        )
      }
      badges={({ targets, tags }) => (
        <>
          {targets.map((target) => (
            <Badge key={target} tone="primary">
              {targetLabels[target]}
            </Badge>
          ))}
          {tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </>
      )}
      description={({ description }) => description}
      edit={(item, close) => (
        <SkillForm
          initial={draftOf(item)}
          onClose={close}
          onSaved={() => {
            toast("Saved");
            close();
          }}
          skill={item}
        />
      )}
      editable={({ editable }) => editable}
      history={({ id, source }) => (source === "builtin" ? undefined : { type: "ai.skill", id })}
      mainAction={(item) =>
        item.targets.includes("chat") && (
          <Button data-testid="use-skill" icon="chat" onClick={() => chat(item)} variant="primary">
            Use in a new chat
          </Button>
        )
      }
      name={({ name }) => name}
      noun="skill"
      onDeleted={() => navigate({ to: "/skills", search: {} })}
      origin={(item) => `${authorOf(item, me?.id)}${item.updatedAt ? `, changed ${fullTime(item.updatedAt)}` : ""}`}
      query={skill}
      removable={({ editable }) => editable}
      remove={{
        send: deleteSkill,
        invalidates: [skillsKey],
        warning: "Chats that use it continue without it. This cannot be undone.",
      }}
      trail={trail}
    >
      {(item) => (
        <>
          {item.systemPrompt && (
            <Panel title="Instructions">
              <Text testId="skill-prompt">{item.systemPrompt}</Text>
            </Panel>
          )}
          {item.promptTemplate && (
            <Panel title={item.targets.includes("ai_analyze") ? "Question" : "Beginning of the message"}>
              <Text testId="skill-template">{item.promptTemplate}</Text>
            </Panel>
          )}
          {item.suggestedOutputFields.length > 0 && <OutputFields fields={item.suggestedOutputFields} />}
          {copying === item.id && (
            <SkillForm
              initial={copyOf(item)}
              onClose={() => setCopying(null)}
              onSaved={(copy) => {
                toast(`${copy.name} was published`);
                setCopying(null);
                void navigate({ to: "/skills/$skillId", params: { skillId: copy.id } });
              }}
            />
          )}
        </>
      )}
    </DetailPage>
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
