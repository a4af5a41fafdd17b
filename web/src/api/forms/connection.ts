import { z } from "zod";
import type { Connection, ConnectionFields, SpendCap } from "../connections";
import { parseList } from "./metadata";
import { filled } from "./named";

const whole = (least: number, most: number) =>
  z
    .string()
    .refine(
      (text) => text === "" || (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most),
      `Enter a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}.`,
    );

/** The server refuses less, too: a turn cannot work in it. */
const leastWindow = 4_096;

/** Reports whether a typed base URL is on another server than the stored one, for which key and headers were given. */
export const onAnotherServer = (connection: Connection | undefined, typed: string) =>
  connection !== undefined &&
  URL.canParse(typed) &&
  URL.canParse(connection.baseUrl) &&
  new URL(typed).origin !== new URL(connection.baseUrl).origin;

export const enterAgain = "Enter it again: the address is on another server.";

/** The members that a text has, if it is a JSON object. */
const bodyOf = (text: string): Record<string, unknown> | undefined => {
  const value = jsonOf(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
};

/** The value of a JSON text; undefined for other text. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A stored header keeps its value while none is typed. */
const headersOf = (stored: readonly string[]) =>
  z.array(
    z
      .object({ name: z.string().trim().min(1, "Fill this in."), value: z.string() })
      .refine(({ name, value }) => value !== "" || stored.some((known) => known.toLowerCase() === name.toLowerCase()), {
        path: ["value"],
        message: "Fill this in.",
      }),
  );

const tokens = whole(1, 1e12);
const minutes = whole(1, 525_600);

const capOf = (budget: string, window: string): SpendCap | null =>
  budget ? { tokenBudget: Number(budget), windowMinutes: Number(window) } : null;

const amount = z
  .string()
  .trim()
  .refine((text) => text === "" || (/^\d+(\.\d+)?$/.test(text) && Number(text) <= 1e6), "Enter a number such as 2.50.");

/** Price of a million tokens; nothing when no price is given. */
const priceOf = (input: string, output: string, cached: string): ConnectionFields["price"] =>
  input || output
    ? { input: Number(input), output: Number(output), cached: cached ? Number(cached) : undefined }
    : null;

/** A model provider; the built-in demo model has no address and no key. */
export const connectionSchema = (connection: Connection | undefined) => {
  const demo = connection?.kind === "demo";
  return z
    .object({
      name: filled,
      baseUrl: demo
        ? z.string()
        : z.string().trim().pipe(z.url("Enter an address that begins with https:// or http://")),
      apiKey: z.string(),
      defaultModel: filled,
      availableModels: z.string().transform(parseList),
      contextWindowTokens: whole(leastWindow, 1e8),
      modelFamily: z.enum(["generic", "openai", "anthropic"]),
      spendCapTokens: tokens,
      spendCapMinutes: minutes,
      unattendedSpendCapTokens: tokens,
      unattendedSpendCapMinutes: minutes,
      inputPrice: amount,
      outputPrice: amount,
      cachedPrice: amount,
      disableTopicalClassifier: z.boolean(),
      smallCallSeconds: whole(1, 300),
      extraHeaders: headersOf(connection?.extraHeaderNames ?? []),
      extraBody: z
        .string()
        .trim()
        .refine(
          (text) => text === "" || jsonOf(text) !== undefined,
          'Not valid JSON. Put names in double quotes, and no comma after the last member: {"top_p": 0.9}.',
        )
        .refine(
          (text) => jsonOf(text) === undefined || bodyOf(text) !== undefined,
          'Enter members in braces, such as {"top_p": 0.9}.',
        ),
      reasoningEffort: z.enum(["", "none", "minimal", "low", "medium", "high", "xhigh"]),
      streaming: z.enum(["auto", "on", "off"]),
      textCalls: z.enum(["auto", "on", "off"]),
      firstTokenSeconds: whole(1, 900),
      maxTools: whole(8, 1_000),
      enabled: z.boolean(),
    })
    .superRefine(({ baseUrl, extraHeaders }, context) => {
      if (!onAnotherServer(connection, baseUrl)) return;
      for (const [index, { value }] of extraHeaders.entries()) {
        if (!value) context.addIssue({ code: "custom", path: ["extraHeaders", index, "value"], message: enterAgain });
      }
    })
    .refine(({ spendCapTokens, spendCapMinutes }) => !spendCapTokens || spendCapMinutes, {
      path: ["spendCapMinutes"],
      message: "Fill this in.",
    })
    .refine(
      ({ unattendedSpendCapTokens, unattendedSpendCapMinutes }) =>
        !unattendedSpendCapTokens || unattendedSpendCapMinutes,
      {
        path: ["unattendedSpendCapMinutes"],
        message: "Fill this in.",
      },
    )
    .transform((form): ConnectionFields => ({
      name: form.name,
      baseUrl: demo ? undefined : form.baseUrl,
      apiKey: form.apiKey || undefined,
      defaultModel: form.defaultModel,
      availableModels: form.availableModels,
      contextWindowTokens: form.contextWindowTokens ? Number(form.contextWindowTokens) : null,
      modelFamily: form.modelFamily,
      spendCap: capOf(form.spendCapTokens, form.spendCapMinutes),
      unattendedSpendCap: capOf(form.unattendedSpendCapTokens, form.unattendedSpendCapMinutes),
      price: priceOf(form.inputPrice, form.outputPrice, form.cachedPrice),
      disableTopicalClassifier: form.disableTopicalClassifier,
      smallCallSeconds: form.smallCallSeconds ? Number(form.smallCallSeconds) : null,
      extraHeaders: demo
        ? undefined
        : form.extraHeaders.map(({ name, value }) => ({ name, value: value || undefined })),
      extraBody: demo ? undefined : (bodyOf(form.extraBody) ?? null),
      reasoningEffort: form.reasoningEffort || null,
      streaming: form.streaming,
      textCalls: form.textCalls,
      firstTokenSeconds: form.firstTokenSeconds ? Number(form.firstTokenSeconds) : null,
      maxTools: form.maxTools ? Number(form.maxTools) : null,
      enabled: form.enabled,
    }));
};

export const connectionValues = (connection: Connection | undefined) => ({
  name: connection?.name ?? "",
  baseUrl: connection?.baseUrl ?? "",
  apiKey: "",
  defaultModel: connection?.defaultModel ?? "",
  availableModels: (connection?.availableModels ?? []).join(", "),
  contextWindowTokens: String(connection?.contextWindowTokens ?? ""),
  modelFamily: connection?.modelFamily ?? ("generic" as const),
  spendCapTokens: String(connection?.spendCap?.tokenBudget ?? ""),
  spendCapMinutes: String(connection?.spendCap?.windowMinutes ?? 60),
  unattendedSpendCapTokens: String(connection?.unattendedSpendCap?.tokenBudget ?? ""),
  unattendedSpendCapMinutes: String(connection?.unattendedSpendCap?.windowMinutes ?? 60),
  inputPrice: String(connection?.price?.input ?? ""),
  outputPrice: String(connection?.price?.output ?? ""),
  cachedPrice: String(connection?.price?.cached ?? ""),
  disableTopicalClassifier: connection?.disableTopicalClassifier ?? false,
  smallCallSeconds: String(connection?.smallCallSeconds ?? ""),
  extraHeaders: (connection?.extraHeaderNames ?? []).map((name) => ({ name, value: "" })),
  extraBody: connection?.extraBody ? JSON.stringify(connection.extraBody, null, 2) : "",
  reasoningEffort: connection?.reasoningEffort ?? ("" as const),
  streaming: connection?.streaming ?? ("auto" as const),
  textCalls: connection?.textCalls ?? ("auto" as const),
  firstTokenSeconds: String(connection?.firstTokenSeconds ?? ""),
  maxTools: String(connection?.maxTools ?? ""),
  enabled: connection?.enabled ?? true,
});
