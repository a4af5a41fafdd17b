import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, of, once, seen, type Schema } from "./client";

export type Channel = Schema<"NotificationChannel">;
export type CreatedChannel = Schema<"NotificationCreatedChannel">;
export type NewChannel = Schema<"NotificationNewChannel">;
export type ChannelKind = Channel["kind"];
export type Preferences = Schema<"NotificationPreferences">;
export type Topic = Preferences["topics"][number];
export type Delivery = Schema<"NotificationDelivery">;
export type DeliveryState = Delivery["state"];
export type MailSettings = Schema<"NotificationSettings">;
export type NewMail = Schema<"NotificationNewMail">;
export type TestResult = Schema<"NotificationTestResult">;
export type Subscription = Schema<"NotificationSubscription">;

export const notificationRules = {
  own: "notification.own.manage",
  channelRead: "notification.channel.read",
  channelManage: "notification.channel.manage",
  settings: "notification.settings.manage",
  log: "notification.log.read",
} as const;

/** The owner of channels: the signed-in person unless said. */
export type Owner = { kind: "team" | "policy"; id: string } | undefined;

/** Every query of notifications starts with this key. */
export const notificationsKey = ["notifications"] as const;

export const channelsQuery = (owner?: Owner) =>
  queryOptions({
    queryKey: [...notificationsKey, "channels", owner?.kind ?? "person", owner?.id ?? ""],
    queryFn: async ({ signal }) =>
      (
        await answer(
          api.GET("/api/notifications/channels", {
            params: { query: owner && { ownerKind: owner.kind, ownerId: owner.id } },
            signal,
          }),
        )
      ).channels,
  });

export const preferencesQuery = queryOptions({
  queryKey: [...notificationsKey, "preferences"],
  queryFn: ({ signal }) => answer(api.GET("/api/notifications/preferences", { signal })),
});

export const pushKeyQuery = queryOptions({
  queryKey: [...notificationsKey, "push-key"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/notifications/push-key", { signal }))).publicKey,
  staleTime: Infinity,
});

export const mailQuery = queryOptions({
  queryKey: [...notificationsKey, "settings"],
  queryFn: ({ signal }) => answer(api.GET("/api/notifications/settings", { signal })),
});

export interface DeliveryFilter {
  state?: DeliveryState;
}

const pageSize = 50;

/** Deliveries to the signed-in person, or to everybody. */
export const deliveriesQuery = (all: boolean, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: [...notificationsKey, "deliveries", all, filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/notifications/deliveries", {
          params: { query: { all, state: filter.state, limit: pageSize, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const createChannel = (body: NewChannel, key: string) =>
  answer(api.POST("/api/notifications/channels", { params: { header: once(key) }, body }));

export const updateChannel = (channel: Channel, body: Schema<"NotificationChannelChange">, key: string) =>
  answer(api.PATCH("/api/notifications/channels/{id}", { params: of(channel, key), body }));

export const deleteChannel = (channel: Channel, key: string) =>
  answer(api.DELETE("/api/notifications/channels/{id}", { params: of(channel, key) }));

export const rotateKey = (channel: Channel, key: string) =>
  answer(api.POST("/api/notifications/channels/{id}/rotate", { params: of(channel, key) }));

/** A test is no change: repeating it sends another message, once a minute. */
export const testChannel = ({ id }: Channel) =>
  answer(api.POST("/api/notifications/channels/{id}/test", { params: { path: { id } } }));

export const setPreferences = ({ revision }: Preferences, body: Schema<"NotificationNewPreferences">, key: string) =>
  answer(
    api.PUT("/api/notifications/preferences", {
      params: { header: { ...seen({ revision }), ...once(key) } },
      body,
    }),
  );

export const setMail = ({ revision }: MailSettings, body: NewMail, key: string) =>
  answer(
    api.PUT("/api/notifications/settings/mail", { params: { header: { ...seen({ revision }), ...once(key) } }, body }),
  );

export const testMail = () => answer(api.POST("/api/notifications/settings/mail/test"));
