import { z } from "zod";
import type { Channel, ChannelKind, MailSettings, NewMail, Preferences } from "../notifications";

const kinds = ["email", "webhook", "slack", "teams", "discord", "ntfy"] as const satisfies readonly ChannelKind[];

const isMail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);
const isWeb = (text: string) => /^https?:\/\/\S+$/.test(text);

/** The address of a stored channel is not shown: left empty, it stays. */
export const channelSchema = (stored: Channel | undefined) =>
  z
    .object({
      kind: z.enum(kinds),
      name: z.string().trim().min(1, "Enter a name."),
      address: z.string().trim(),
      url: z.string().trim(),
      token: z.string().trim(),
    })
    .superRefine(({ kind, address, url }, context) => {
      const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
      if (kind === "email") {
        if ((address !== "" || !stored) && !isMail(address)) issue("address", "Enter one e-mail address.");
      } else if ((url !== "" || !stored) && !isWeb(url)) issue("url", "Enter a web address that begins with https://.");
    });

export const channelValues = (channel: Channel | undefined) => ({
  kind: kinds.find((kind) => kind === channel?.kind) ?? "webhook",
  name: channel?.name ?? "",
  address: "",
  url: "",
  token: "",
});

const hours = /^([a-z]{3}(-[a-z]{3})?(,[a-z]{3}(-[a-z]{3})?)* )?\d{1,2}:\d{2}-\d{1,2}:\d{2}$/i;

export const preferencesSchema = z.object({
  rules: z.array(z.object({ topic: z.string(), channelId: z.string(), minutes: z.number().int().min(0).max(1_440) })),
  quietHours: z
    .string()
    .trim()
    .refine((text) => text === "" || hours.test(text), "Enter hours such as 22:00-07:00 or mon-fri 22:00-07:00."),
  zone: z.string().trim().min(1, "Choose a time zone."),
  off: z.array(z.string()),
});

export type PreferencesValues = z.input<typeof preferencesSchema>;

export const preferencesValues = (stored: Preferences | undefined): PreferencesValues => ({
  rules: (stored?.rules ?? []).map(({ topic = "", channelId, afterSeconds }) => ({
    topic,
    channelId,
    minutes: Math.round(afterSeconds / 60),
  })),
  quietHours: stored?.quietHours ?? "",
  zone: stored?.zone ?? "UTC",
  off: stored?.off ?? [],
});

export const mailSchema = z
  .object({
    host: z.string().trim().min(1, "Enter the name of a host."),
    port: z
      .string()
      .trim()
      .refine(
        (text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
        "Enter a port from 1 to 65535.",
      ),
    security: z.enum(["starttls", "tls", "none"]),
    username: z.string().trim(),
    password: z.string(),
    from: z.string().trim().refine(isMail, "Enter one e-mail address."),
  })
  .transform(({ port, username, password, ...rest }): NewMail => ({
    ...rest,
    port: Number(port),
    username: username || undefined,
    password: password || undefined,
  }));

export const mailValues = (settings: MailSettings | undefined) => ({
  host: settings?.mail?.host ?? "",
  port: String(settings?.mail?.port ?? 587),
  security: settings?.mail?.security ?? ("starttls" as const),
  username: settings?.mail?.username ?? "",
  password: "",
  from: settings?.mail?.from ?? "",
});
