import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { channelsQuery, notificationRules, notificationsKey, pushKeyQuery } from "../api/notifications";
import { holds, meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { Button, buttonShape } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { Page } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { Channels } from "./Channels";
import { canPush, pushChannel, subscribePush } from "./push";
import { RulesPanel } from "./RulesPanel";

/** How the signed-in person is notified: channels, rules, quiet hours and topics. */
export function NotificationsPage() {
  const { data: me } = useQuery(meQuery);
  const editable = holds(me, notificationRules.own);
  return (
    <Page
      actions={
        <Link className={`${buttonShape} border-input bg-card hover:bg-muted`} to="/settings/notifications/deliveries">
          What was sent
        </Link>
      }
      description="How you learn of incidents, of the systems that you subscribe to, and of proposals."
      testId="notifications-page"
      title="My notifications"
    >
      <Channels
        actions={<PushButton />}
        editable={editable}
        hint="Without rules, all of them are used at once."
        title="Channels"
      />
      <RulesPanel editable={editable} />
    </Page>
  );
}

/** Makes a channel of this browser, unless it is one. */
function PushButton() {
  const toast = useToast();
  const { data: channels } = useQuery(channelsQuery());
  const { data: key, error } = useQuery({ ...pushKeyQuery, enabled: canPush() });
  const subscribe = useWrite({
    send: (publicKey: string, once) => subscribePush(publicKey, once),
    invalidates: [notificationsKey],
    onSuccess: () => toast("This browser gets your notifications"),
  });
  const own = pushChannel();
  if (!canPush() || !channels || channels.some(({ id }) => id === own)) return null;
  return (
    <>
      <Button
        busy={subscribe.isPending}
        data-testid="subscribe-push"
        disabled={!key}
        onClick={() => key && subscribe.mutate(key)}
      >
        Notify this browser
      </Button>
      <ErrorNotice error={subscribe.error ?? error} />
    </>
  );
}
