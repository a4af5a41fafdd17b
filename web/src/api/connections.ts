import { queryOptions } from "@tanstack/react-query";
import { answer, api, everyPage, of, once, type Schema } from "./client";

/** A model provider as an administrator sees it; the key is write-only. */
export type Connection = Schema<"ConnectionConnection">;
/** How the test of a connection went. */
export type ConnectionTest = Schema<"ConnectionTestResult">;
export type ModelFamily = Connection["modelFamily"];
export type SpendCap = Schema<"ConnectionSpendCap">;

/** Use of a connection by one principal within the window of its cap. */
export type PrincipalSpend = Schema<"ConnectionPrincipalSpend">;

/** Models that a provider offers, or why they are unknown. */
export type ModelsAnswer = Schema<"ConnectionModelsAnswer">;
export type ModelsQuestion = Schema<"ConnectionModelsQuestion">;

type Change = Schema<"ConnectionChange">;
/** Values of a connection's form; null removes a setting. The built-in demo model has no address. */
export type ConnectionFields = Required<
  Omit<Change, "apiKey" | "baseUrl" | "extraHeaders" | "extraBody" | "forgetLessons">
> &
  Pick<Change, "apiKey" | "baseUrl" | "extraHeaders" | "extraBody">;

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/ai/connections", { signal }))).connections,
});

export const spendQuery = queryOptions({
  queryKey: ["connections", "spend"],
  queryFn: ({ signal }) =>
    everyPage(
      (query) => answer(api.GET("/api/ai/spend", { params: { query }, signal })),
      ({ spend }) => spend,
    ),
});

export const createConnection = (fields: ConnectionFields, key: string) =>
  answer(
    api.POST("/api/ai/connections", {
      params: { header: once(key) },
      body: {
        ...fields,
        baseUrl: fields.baseUrl ?? "",
        apiKey: fields.apiKey ?? undefined,
        contextWindowTokens: fields.contextWindowTokens ?? undefined,
        smallCallSeconds: fields.smallCallSeconds ?? undefined,
        extraHeaders: fields.extraHeaders ?? undefined,
        extraBody: fields.extraBody ?? undefined,
        reasoningEffort: fields.reasoningEffort ?? undefined,
        firstTokenSeconds: fields.firstTokenSeconds ?? undefined,
        maxTools: fields.maxTools ?? undefined,
        spendCap: fields.spendCap ?? undefined,
        price: fields.price ?? undefined,
        unattendedSpendCap: fields.unattendedSpendCap ?? undefined,
      },
    }),
  );

export const updateConnection = (connection: Connection, body: Change, key: string) =>
  answer(api.PATCH("/api/ai/connections/{id}", { params: of(connection, key), body }));

/** New chats begin with it from now on. */
export const setDefaultConnection = (connection: Connection, key: string) =>
  answer(api.PUT("/api/ai/connections/{id}/default", { params: of(connection, key) }));

/** Says that the connection may be trusted as it is shown. */
export const confirmConnection = (connection: Connection, key: string) =>
  answer(api.PUT("/api/ai/connections/{id}/confirmed", { params: of(connection, key) }));

export const deleteConnection = (connection: Connection, key: string) =>
  answer(api.DELETE("/api/ai/connections/{id}", { params: of(connection, key) }));

export const testConnection = (id: string, signal?: AbortSignal) =>
  answer(api.POST("/api/ai/connections/{id}/test", { params: { path: { id } }, signal }));

/** Asks a provider for its models; a key that is given is used for this question only. */
export const askModels = (body: ModelsQuestion) => answer(api.POST("/api/ai/provider-models", { body }));
