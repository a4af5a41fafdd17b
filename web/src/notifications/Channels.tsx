import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import {
  channelsQuery,
  deleteChannel,
  notificationsKey,
  rotateKey,
  testChannel,
  updateChannel,
  type Channel,
  type Owner,
} from "../api/notifications";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { DeleteDialog } from "../ui/DeleteDialog";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Row, Rows } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import { TokenDialog } from "../ui/TokenDialog";
import { ChannelForm } from "./ChannelForm";
import { channelState, kindNames } from "./words";

interface ChannelsProps {
  owner?: Owner;
  /** Whether the reader may change them. */
  editable: boolean;
  title: string;
  hint: ReactNode;
  /** Further ways to add a channel. */
  actions?: ReactNode;
}

type Open = { kind: "new" | "edit" | "delete"; channel?: Channel } | null;

/** The channels of a person, a team or an escalation policy, with a test of each. */
export function Channels({ owner, editable, title, hint, actions }: ChannelsProps) {
  const { data: channels, error, refetch } = useQuery(channelsQuery(owner));
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  return (
    <section aria-labelledby="channels-title" className="flex flex-col gap-3" data-testid="channels">
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div className="min-w-0">
          <h2 className="font-semibold" id="channels-title">
            {title}
          </h2>
          <p className="text-sm text-muted-foreground">{hint}</p>
        </div>
        {editable && (
          <div className="flex flex-wrap gap-2">
            {actions}
            <Button data-testid="new-channel" icon="plus" onClick={() => setOpen({ kind: "new" })}>
              New channel
            </Button>
          </div>
        )}
      </div>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!channels && !error && <SkeletonRows rows={2} />}
      {channels?.length === 0 && (
        <EmptyState title="No channel yet">Without a channel, nothing is sent here.</EmptyState>
      )}
      {channels && channels.length > 0 && (
        <Rows itemKey={({ id }) => id} items={channels} label={title}>
          {(channel) => <ChannelRow channel={channel} editable={editable} onOpen={setOpen} onSecret={setSecret} />}
        </Rows>
      )}
      {open?.kind === "new" && <ChannelForm onClose={close} onSecret={setSecret} owner={owner} />}
      {open?.kind === "edit" && open.channel && (
        <ChannelForm
          channel={channels?.find(({ id }) => id === open.channel?.id) ?? open.channel}
          onClose={close}
          onSecret={setSecret}
          owner={owner}
        />
      )}
      {open?.kind === "delete" && open.channel && (
        <DeleteDialog
          invalidates={[notificationsKey]}
          item={open.channel}
          name={open.channel.name}
          noun="channel"
          onClose={close}
          onDeleted={close}
          send={deleteChannel}
          tool="notification.deleteChannel"
          warning="What waits for it is not sent."
        />
      )}
      {secret && (
        <TokenDialog
          hint="Webhooks are signed with it. It is shown this once and cannot be read again."
          onClose={() => setSecret(null)}
          title="Signing secret"
          token={secret}
        />
      )}
    </section>
  );
}

interface ChannelRowProps {
  channel: Channel;
  editable: boolean;
  onOpen: (open: Open) => void;
  onSecret: (secret: string) => void;
}

function ChannelRow({ channel, editable, onOpen, onSecret }: ChannelRowProps) {
  const toast = useToast();
  const now = useNow(60_000);
  const test = useWrite({
    send: (what: Channel) => testChannel(what),
    invalidates: [notificationsKey],
    onSuccess: ({ result }) => {
      if (result === "sent") toast(`The test was sent to ${channel.name}`);
    },
  });
  const change = useWrite({
    send: (enabled: boolean, key) => updateChannel(channel, { enabled }, key),
    invalidates: [notificationsKey],
  });
  const rotate = useWrite({
    send: (what: Channel, key) => rotateKey(what, key),
    invalidates: [notificationsKey],
    onSuccess: ({ signingSecret }) => signingSecret && onSecret(signingSecret),
  });
  const state = channelState(channel);
  const failed = channel.test && channel.test.result !== "sent" ? channel.test.reason : undefined;
  return (
    <Row
      actions={
        editable && (
          <>
            <Button
              aria-label={`Send test to ${channel.name}`}
              busy={test.isPending}
              data-testid="test-channel"
              disabled={!channel.enabled}
              onClick={() => test.mutate(channel)}
            >
              Send test
            </Button>
            <Button
              aria-label={`${channel.enabled ? "Turn off" : "Turn on"} ${channel.name}`}
              busy={change.isPending}
              onClick={() => change.mutate(!channel.enabled)}
              variant="quiet"
            >
              {channel.enabled ? "Turn off" : "Turn on"}
            </Button>
            {channel.kind === "webhook" && (
              <IconButton
                busy={rotate.isPending}
                icon="key"
                label={`Replace the signing secret of ${channel.name}`}
                onClick={() => rotate.mutate(channel)}
              />
            )}
            {!channel.account && (
              <>
                <IconButton
                  icon="pencil"
                  label={`Edit ${channel.name}`}
                  onClick={() => onOpen({ kind: "edit", channel })}
                />
                <IconButton
                  icon="trash"
                  label={`Delete ${channel.name}`}
                  onClick={() => onOpen({ kind: "delete", channel })}
                />
              </>
            )}
          </>
        )
      }
      badges={
        <Badge title={state.title} tone={state.tone}>
          {state.label}
        </Badge>
      }
      detail={
        <>
          {channel.account ? "The e-mail address of the account" : `${kindNames[channel.kind]} · ${channel.target}`}
          {channel.test && <span title={fullTime(channel.test.at)}> · tested {timeAgo(channel.test.at, now)}</span>}
          {failed && <span className="block text-danger">{failed}</span>}
        </>
      }
      title={channel.name}
    >
      <ErrorNotice className="mt-2" error={test.error ?? change.error ?? rotate.error} />
    </Row>
  );
}
