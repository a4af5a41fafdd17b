import { channelSchema, channelValues } from "../api/forms/notifications";
import {
  createChannel,
  notificationsKey,
  updateChannel,
  type Channel,
  type ChannelKind,
  type CreatedChannel,
  type Owner,
} from "../api/notifications";
import { SelectField, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";
import { kindNames } from "./words";

interface ChannelFormProps {
  owner: Owner;
  channel?: Channel;
  onClose: () => void;
  /** Gets the signing secret of a new webhook. */
  onSecret: (secret: string) => void;
}

const urlHints: Partial<Record<ChannelKind, string>> = {
  webhook: "Each message is posted there as signed JSON.",
  slack: "The address of an incoming webhook of Slack, Mattermost or Rocket.Chat.",
  teams: "The address of a workflow with a webhook trigger.",
  discord: "The address of a webhook of a Discord channel.",
  ntfy: "Server and topic, such as https://ntfy.sh/my-topic.",
};

/** Makes a channel, or changes one. A stored address is not shown again. */
export function ChannelForm({ owner, channel, onClose, onSecret }: ChannelFormProps) {
  const toast = useToast();
  const form = useRecordForm({
    tool: channel ? "notification.updateChannel" : "notification.createChannel",
    schema: channelSchema(channel),
    item: channel,
    values: channelValues,
    send: async ({ kind, name, address, url, token }, began, key): Promise<Channel | CreatedChannel> =>
      began
        ? updateChannel(
            began,
            { name, address: address || undefined, url: url || undefined, token: token || undefined },
            key,
          )
        : createChannel(
            {
              kind,
              name,
              ownerKind: owner?.kind,
              ownerId: owner?.id,
              ...(kind === "email" ? { address } : { url, token: token || undefined }),
            },
            key,
          ),
    invalidates: [notificationsKey],
    onSaved: (saved) => {
      toast(channel ? `${saved.name} was saved` : `${saved.name} was created. Send a test to see whether it works`);
      if ("signingSecret" in saved && saved.signingSecret) onSecret(saved.signingSecret);
      onClose();
    },
  });
  const kind = form.watch("kind");
  const kinds: ChannelKind[] = ["webhook", "slack", "teams", "discord", "ntfy"];
  if (owner) kinds.unshift("email");
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={channel ? "Save" : "Create channel"}
      title={channel ? channel.name : "New channel"}
    >
      {!channel && (
        <SelectField label="Kind" {...form.field("kind")}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {kindNames[one]}
            </option>
          ))}
        </SelectField>
      )}
      <TextField autoComplete="off" label="Name" maxLength={100} required {...form.field("name")} />
      {kind === "email" ? (
        <TextField
          autoComplete="off"
          hint={channel && "Leave empty to keep the stored address."}
          label="E-mail address"
          maxLength={254}
          required={!channel}
          type="email"
          {...form.field("address")}
        />
      ) : (
        <TextField
          autoComplete="off"
          hint={channel ? "Leave empty to keep the stored address, which is not shown." : urlHints[kind]}
          inputMode="url"
          label="Address"
          maxLength={2000}
          placeholder="https://"
          required={!channel}
          spellCheck={false}
          {...form.field("url")}
        />
      )}
      {kind === "ntfy" && (
        <TextField
          autoComplete="off"
          hint="Only for topics that need one."
          label="Access token"
          maxLength={500}
          spellCheck={false}
          type="password"
          {...form.field("token")}
        />
      )}
    </FormPage>
  );
}
