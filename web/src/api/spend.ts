import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { one, text } from "./audit";
import { answer, api, type Schema } from "./client";

export type SpendReport = Schema<"InspectorSpendReport">;
export type SpendSeries = Schema<"InspectorSpendSeries">;
export type SpendUse = Schema<"InspectorSpendUse">;
export type SpendSplit = SpendReport["split"];

/** How far back a report goes. */
export type SpendSpan = (typeof spans)[number];
export const spans = ["day", "week", "month", "quarter", "year"] as const;
export const splits = ["connection", "model", "person", "team", "caller"] as const satisfies SpendSplit[];
export const measures = ["tokens", "cost"] as const;

/** Filter in the address of the page. */
export interface SpendFilter {
  span?: SpendSpan;
  split?: (typeof splits)[number];
  measure?: (typeof measures)[number];
  connectionId?: string;
  principalId?: string;
}

/** Reads a filter from an address; what makes no sense is left out. */
export const spendFilter = (search: Record<string, unknown>): SpendFilter => ({
  span: one(spans, search.span),
  split: one(splits, search.split),
  measure: one(measures, search.measure),
  connectionId: text(search.connectionId),
  principalId: text(search.principalId),
});

/** How far before today a report begins. The server makes the first week and the first month whole ones. */
const lengths: Record<SpendSpan, { step: SpendReport["step"]; days?: number; months?: number }> = {
  day: { step: "hour" },
  week: { step: "day", days: 6 },
  month: { step: "day", days: 29 },
  quarter: { step: "week", days: 12 * 7 },
  year: { step: "month", months: 11 },
};

/** A day as its reader has it. */
const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/** The days that end today, in the time zone of the reader. */
export function rangeOf(span: SpendSpan, now: Date) {
  const { step, days = 0, months } = lengths[span];
  const first = months
    ? new Date(now.getFullYear(), now.getMonth() - months, 1)
    : new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  return { from: dayOf(first), to: dayOf(now), step, zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}

/** Usage report; own is the reader's usage, which needs no rule. */
export const spendReportQuery = (own: boolean, { span = "month", split = "connection", ...filter }: SpendFilter) =>
  queryOptions({
    queryKey: ["spend", own ? "own" : "everybody", span, split, filter.connectionId, filter.principalId],
    queryFn: ({ signal }) => {
      const query = { ...rangeOf(span, new Date()), split, connectionId: filter.connectionId };
      return own
        ? answer(api.GET("/api/ai/spend/own", { params: { query }, signal }))
        : answer(
            api.GET("/api/ai/spend/report", {
              params: { query: { ...query, principalId: filter.principalId } },
              signal,
            }),
          );
    },
    placeholderData: keepPreviousData,
  });
