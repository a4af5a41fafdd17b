import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { preferencesSchema, preferencesValues, type PreferencesValues } from "../api/forms/notifications";
import {
  channelsQuery,
  preferencesQuery,
  setPreferences,
  type Channel,
  type Preferences,
  type Topic,
} from "../api/notifications";
import { Button } from "../ui/Button";
import { Choices, TextField } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { PageForm } from "../ui/PageForm";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

/** Rules of the signed-in person: which channel, for what, and after what time; quiet hours; topics that are off. */
export function RulesPanel({ editable }: { editable: boolean }) {
  const { data: stored, error, refetch } = useQuery(preferencesQuery);
  const { data: channels } = useQuery(channelsQuery());
  const [saves, setSaves] = useState(0);
  return (
    <Panel title="Rules and quiet hours">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {(!stored || !channels) && !error && <SkeletonRows rows={3} />}
      {stored && channels && (
        <fieldset className="min-w-0" disabled={!editable}>
          <RulesForm channels={channels} key={saves} onSaved={() => setSaves(saves + 1)} stored={stored} />
        </fieldset>
      )}
    </Panel>
  );
}

interface RulesFormProps {
  stored: Preferences;
  channels: Channel[];
  onSaved: () => void;
}

type RuleValues = PreferencesValues["rules"][number];

function RulesForm({ stored, channels, onSaved }: RulesFormProps) {
  const toast = useToast();
  const zones = useId();
  const form = useRecordForm({
    tool: "notification.setPreferences",
    schema: preferencesSchema,
    item: stored,
    values: preferencesValues,
    labels: { rules: "Rules", off: "Topics" },
    send: ({ rules, ...rest }, began, key) =>
      setPreferences(
        began ?? stored,
        {
          ...rest,
          rules: rules.map(({ topic, channelId, minutes }) => ({
            topic: topic || undefined,
            channelId,
            afterSeconds: minutes * 60,
          })),
        },
        key,
      ),
    invalidates: [preferencesQuery.queryKey],
    onSaved: () => {
      toast("Your notification rules were saved");
      onSaved();
    },
  });
  const rules = form.watch("rules");
  const off = form.watch("off");
  const set = (next: RuleValues[]) => form.setValue("rules", next, { shouldDirty: true });
  const first = channels[0];
  return (
    <PageForm form={form} origin="They hold for messages from then on." testId="save-rules">
      <div className="flex flex-col gap-2">
        <p className="text-sm font-medium">Rules</p>
        {rules.length === 0 && (
          <p className="text-sm text-muted-foreground">No rules: all channels are used at once.</p>
        )}
        <ul className="flex flex-col gap-2">
          {rules.map((rule, at) => (
            <RuleRow
              channels={channels}
              // Rows have no other identity, and each shows the values of its place.
              // oxlint-disable-next-line react/no-array-index-key
              key={at}
              number={at + 1}
              onChange={(next) => set(rules.with(at, next))}
              onRemove={() => set(rules.toSpliced(at, 1))}
              rule={rule}
              topics={stored.topics}
            />
          ))}
        </ul>
        {first && (
          <div>
            <Button
              data-testid="add-rule"
              icon="plus"
              onClick={() => set([...rules, { topic: "", channelId: first.id, minutes: 0 }])}
            >
              Add rule
            </Button>
          </div>
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          autoComplete="off"
          hint="Such as 22:00-07:00 or mon-fri 22:00-07:00. Calls of an escalation come through."
          label="Quiet hours"
          maxLength={100}
          {...form.field("quietHours")}
        />
        <TextField
          autoComplete="off"
          hint="Of the quiet hours."
          label="Time zone"
          list={zones}
          maxLength={100}
          required
          spellCheck={false}
          {...form.field("zone")}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </datalist>
      </div>
      <Choices
        legend="Topics that you want to know of"
        name="off"
        onChange={(wanted) =>
          form.setValue(
            "off",
            stored.topics.map(({ id }) => id).filter((id) => !wanted.includes(id)),
            {
              shouldDirty: true,
            },
          )
        }
        options={stored.topics.map(({ id, label, description }) => ({ id, label, hint: description }))}
        selected={stored.topics.map(({ id }) => id).filter((id) => !off.includes(id))}
      />
    </PageForm>
  );
}

const delays = [0, 1, 2, 5, 10, 15, 30, 60, 120, 240];

const delayWords = (minutes: number) => {
  if (minutes === 0) return "at once";
  return minutes % 60 === 0 ? `after ${minutes / 60} h` : `after ${minutes} min`;
};

interface RuleRowProps {
  rule: RuleValues;
  number: number;
  channels: Channel[];
  topics: readonly Topic[];
  onChange: (rule: RuleValues) => void;
  onRemove: () => void;
}

const select = "min-w-0 flex-1 basis-36 rounded-lg border border-input bg-card px-3 py-2 text-sm";

function RuleRow({ rule, number, channels, topics, onChange, onRemove }: RuleRowProps) {
  const choices = delays.includes(rule.minutes) ? delays : [...delays, rule.minutes].toSorted((a, b) => a - b);
  return (
    <li className="flex flex-wrap items-center gap-2" data-testid="rule">
      <select
        aria-label={`Topic of rule ${number}`}
        className={select}
        onChange={({ currentTarget: { value } }) => onChange({ ...rule, topic: value })}
        value={rule.topic}
      >
        <option value="">All other topics</option>
        {topics.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={`Channel of rule ${number}`}
        className={select}
        onChange={({ currentTarget: { value } }) => onChange({ ...rule, channelId: value })}
        value={rule.channelId}
      >
        {channels.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={`Delay of rule ${number}`}
        className={select}
        onChange={({ currentTarget: { value } }) => onChange({ ...rule, minutes: Number(value) })}
        value={rule.minutes}
      >
        {choices.map((minutes) => (
          <option key={minutes} value={minutes}>
            {delayWords(minutes)}
          </option>
        ))}
      </select>
      <IconButton icon="close" label={`Remove rule ${number}`} onClick={onRemove} />
    </li>
  );
}
