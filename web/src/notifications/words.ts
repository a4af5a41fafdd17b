import type { Channel, ChannelKind, Delivery, DeliveryState } from "../api/notifications";
import type { Tone } from "../ui/Badge";

export const kindNames: Record<ChannelKind, string> = {
  email: "E-mail",
  webhook: "Webhook",
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
  ntfy: "ntfy",
  push: "Web push",
};

/** Whether a channel works, as far as that is known: an untested one is not shown as a good one. */
export function channelState({ enabled, test }: Channel): { label: string; tone: Tone; title?: string } {
  if (!enabled) return { label: "Off", tone: "neutral" };
  if (!test) return { label: "Not tested", tone: "warning", title: "Send a test to see whether it works." };
  if (test.result === "sent") return { label: "Works", tone: "success" };
  if (test.result === "uncertain") return { label: "Test may have arrived", tone: "warning", title: test.reason };
  return { label: "Test failed", tone: "danger", title: test.reason };
}

export const stateNames: Record<DeliveryState, string> = {
  waiting: "Waiting",
  sent: "Sent",
  unknown: "May have arrived",
  failed: "Failed",
  suppressed: "Nothing to tell",
  stopped: "No longer wanted",
};

export const stateTones: Record<DeliveryState, Tone> = {
  waiting: "primary",
  sent: "success",
  unknown: "warning",
  failed: "danger",
  suppressed: "neutral",
  stopped: "neutral",
};

/** Kinds of records, whose names are not in the log. */
const aboutNames: Record<string, string> = {
  system: "Health of a system",
  incident: "Incident",
  proposal: "Proposal",
  message: "Message about a system",
  maintenance: "Maintenance",
};

export const aboutName = ({ aboutKind, phase }: Delivery) => {
  const name = aboutNames[aboutKind] ?? aboutKind;
  return phase === "recovery" ? `${name}, end` : name;
};

/** The page of the record, for kinds that have one. */
export function aboutLink({ aboutKind, aboutId }: Delivery): string | undefined {
  if (aboutKind === "system") return `/health/systems/${aboutId}`;
  if (aboutKind === "incident") return `/incidents/${aboutId}`;
  if (aboutKind === "proposal") return `/proposals?proposal=${aboutId}`;
  return undefined;
}
