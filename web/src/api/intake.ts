import { queryOptions } from "@tanstack/react-query";
import { answer, api, everyPage, of, once, type Schema } from "./client";

export type AlertSource = Schema<"IntakeSource">;
export type AlertKind = AlertSource["kind"];
/** A source with its address and secret, which are shown once. */
export type CreatedSource = Schema<"IntakeCreatedSource">;
export type TriedPayload = Schema<"IntakeTried">;

export const intakeRules = { read: "intake.source.read", manage: "intake.source.manage" } as const;

export const alertSourcesQuery = queryOptions({
  queryKey: ["alert-sources"],
  queryFn: ({ signal }) =>
    everyPage(
      (query) => answer(api.GET("/api/intake/sources", { params: { query }, signal })),
      ({ sources }) => sources,
    ),
});

export const createAlertSource = (body: Schema<"IntakeNewSource">, key: string) =>
  answer(api.POST("/api/intake/sources", { params: { header: once(key) }, body }));

export const updateAlertSource = (source: AlertSource, body: Schema<"IntakeSourceChange">, key: string) =>
  answer(api.PATCH("/api/intake/sources/{id}", { params: of(source, key), body }));

export const deleteAlertSource = (source: AlertSource, key: string) =>
  answer(api.DELETE("/api/intake/sources/{id}", { params: of(source, key) }));

export const rotateAlertSource = (source: AlertSource, body: Schema<"IntakeRotation">, key: string) =>
  answer(api.POST("/api/intake/sources/{id}/rotate", { params: of(source, key), body }));

export const tryAlertSource = ({ id }: AlertSource, payload: string) =>
  answer(api.POST("/api/intake/sources/{id}/try", { params: { path: { id } }, body: payload ? { payload } : {} }));
