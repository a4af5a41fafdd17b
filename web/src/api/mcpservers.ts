import { queryOptions } from "@tanstack/react-query";
import { answer, api, of, once, seen, type Schema } from "./client";

/** An MCP server of others. */
export type McpServer = Schema<"McpserverServer">;
/** A tool of a server, with its current and its accepted definition. */
export type McpTool = Schema<"McpserverTool">;
/** Administrator's choice about a tool. */
export type McpChoice = Schema<"McpserverChoice">;
export type McpAuth = McpServer["auth"];

/** Values of a server's form. */
export type McpServerFields = Schema<"McpserverNewServer"> & { auth: McpAuth; enabled: boolean };

export const mcpServersQuery = queryOptions({
  queryKey: ["mcp-servers"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/mcp/servers", { signal }))).servers,
});

export const mcpToolsQuery = (id: string) =>
  queryOptions({
    queryKey: [...mcpServersQuery.queryKey, id, "tools"],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/mcp/servers/{id}/tools", { params: { path: { id } }, signal }))).tools,
  });

export const createMcpServer = (body: McpServerFields, key: string) =>
  answer(api.POST("/api/mcp/servers", { params: { header: once(key) }, body }));

export const updateMcpServer = (server: McpServer, body: Schema<"McpserverServerChange">, key: string) =>
  answer(api.PATCH("/api/mcp/servers/{id}", { params: of(server, key), body }));

export const deleteMcpServer = (server: McpServer, key: string) =>
  answer(api.DELETE("/api/mcp/servers/{id}", { params: of(server, key) }));

export const refreshMcpServer = (id: string) =>
  answer(api.POST("/api/mcp/servers/{id}/refresh", { params: { path: { id } } }));

/** Where the browser goes to sign in at one. */
export const startMcpSignIn = async (id: string) =>
  (await answer(api.POST("/api/mcp/servers/{id}/sign-in", { params: { path: { id } } }))).address;

/** Ends a sign-in with the query that the browser has come back with. It works once. */
export const finishMcpSignIn = (server: string, query: string) =>
  answer(api.POST("/api/mcp/sign-ins", { body: { server, query } }));

export const endMcpSignIn = (server: McpServer) =>
  answer(api.DELETE("/api/mcp/servers/{id}/sign-in", { params: { path: { id: server.id }, header: seen(server) } }));

/** Without a revision: each choice names the reviewed definition by its hash. */
export const chooseMcpTools = (id: string, tools: McpChoice[], key: string) =>
  answer(api.PUT("/api/mcp/servers/{id}/tools", { params: { path: { id }, header: once(key) }, body: { tools } }));
