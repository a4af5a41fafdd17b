import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import type { QueryKey } from "@tanstack/react-query";
import { useEffect, useState, useRef, type BaseSyntheticEvent } from "react";
import {
  get,
  useForm,
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  type UseFormReturn,
} from "react-hook-form";
import type { ZodType } from "zod";
import { useAsks, type Asks } from "../api/governed";
import { Problem } from "../api/problem";
import { useWrite } from "../api/write";
import type { ConflictField, Side } from "./ConflictNotice";
import { labelOf, wordsOf } from "./fieldwords";
import { issueWords } from "./issuewords";

interface RecordFormOptions<Item, Values extends FieldValues, Fields, Saved> {
  /** Converts the values of the fields to a request. */
  schema: ZodType<Fields, Values>;
  /** Form values of an item, or of a new one. */
  values: (item: Item | undefined) => Values;
  /** The item to change, as it is stored now; without it the form makes a new one. */
  item?: Item;
  /** Sends what the schema made of the values. The item is the one that the form began with: its revision is the one to name. */
  send: (fields: Fields, item: Item | undefined, idempotencyKey: string) => Promise<Saved>;
  invalidates: QueryKey[];
  onSaved: (saved: Saved, fields: Fields) => void;
  /** The tool that does the same: what its policy asks for is said before the click. */
  tool?: string;
  /** A value in words, where the form element does not know them. */
  describe?: (name: string, value: unknown) => string | undefined;
  /** Names of fields without a label of their own. */
  labels?: Readonly<Record<string, string>>;
}

/** Field that another user has changed while it was changed in the form. */
interface Clash {
  name: string;
  label: string;
  mine: unknown;
  stored: unknown;
  takes: Side;
}

/** Changes of another user while the form was open. */
export interface Conflict {
  /** The fields that both have changed; none when they were different ones. */
  fields: ConflictField[];
  choose: (name: string, side: Side) => void;
}

export interface RecordForm<Values extends FieldValues, Fields> extends Pick<
  UseFormReturn<Values, unknown, Fields>,
  "control" | "register" | "setValue" | "getValues" | "watch"
> {
  /** Props of a TextField, TextArea or SelectField of the form. */
  field: (
    name: Path<Values>,
    /** Normalises typed text. */
    shape?: (typed: string) => string,
  ) => ReturnType<UseFormReturn<Values>["register"]> & { issue: string | undefined };
  submit: (event?: BaseSyntheticEvent) => void;
  busy: boolean;
  /** Requirement of a policy for saving. */
  asks: Asks;
  /** It has become a proposal instead of being saved. */
  proposed: boolean;
  /** Why the last attempt failed, without the issues that are shown at their fields. */
  error: Error | null;
  /** Whether something was typed that is not saved. */
  dirty: () => boolean;
  conflict: Conflict | null;
  /** Replaces the typed values with the stored ones. */
  takeStored: () => void;
  /** Takes the form element, which knows the labels of its fields. */
  element: (form: HTMLFormElement | null) => void;
}

/**
 * State of a form for one record: its values, the issues by the schema and by the server, and edit conflicts
 * (optimistic concurrency). After a save elsewhere, untouched fields follow it and typed text stays, with a notice; the
 * form only saves over a version that the person has seen.
 */
export function useRecordForm<
  Item extends { revision: number } | undefined,
  Values extends FieldValues,
  Fields,
  Saved = unknown,
>(options: RecordFormOptions<Item, Values, Fields, Saved>): RecordForm<Values, Fields> {
  const { item, values, labels } = options;
  const [base, setBase] = useState(item);
  const [clashes, setClashes] = useState<readonly Clash[] | null>(null);
  const [element, setElement] = useState<HTMLFormElement | null>(null);
  const saved = useRef(false);
  const form = useForm<Values, unknown, Fields>({
    resolver: standardSchemaResolver(options.schema),
    defaultValues: values(item) as DefaultValues<Values>,
    mode: "onSubmit",
  });
  const { isDirty, dirtyFields, errors } = form.formState;

  const save = useWrite({
    send: ({ fields, began }: { fields: Fields; began: Item | undefined }, key) => options.send(fields, began, key),
    invalidates: options.invalidates,
    onSuccess: (result, { fields }) => {
      saved.current = true;
      options.onSaved(result, fields);
    },
    onProposed: () => {
      saved.current = true;
    },
  });
  const asks = useAsks(options.tool);
  const { reset: forget } = save;

  // The record has changed under the form.
  const outdated = item !== undefined && base !== undefined && item.revision !== base.revision && !save.isPending;
  useEffect(() => {
    if (!outdated) return;
    const stored = values(item);
    const began = values(base);
    const typed = form.getValues();
    const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
    const undecided = new Set(clashes?.map(({ name }) => name));
    const found = Object.keys(stored)
      .filter((name) => get(dirtyFields, name) !== undefined)
      .filter((name) => undecided.has(name) || differ(stored[name], began[name]))
      .filter((name) => differ(stored[name], typed[name]))
      .map((name): Clash => ({
        name,
        label: labels?.[name] ?? labelOf(element, name),
        mine: typed[name],
        stored: stored[name],
        takes: "mine",
      }));
    form.reset(stored, { keepDirtyValues: true, keepErrors: true });
    // The record is read and saved outside of this form.
    // oxlint-disable-next-line react/set-state-in-effect
    if (isDirty) setClashes(found);
    setBase(item);
    forget();
  }, [outdated, item, base, values, form, dirtyFields, isDirty, forget, element, clashes, labels]);

  const choose = (name: string, side: Side) => {
    const clash = clashes?.find((one) => one.name === name);
    if (!clashes || !clash || clash.takes === side) return;
    const field = name as Path<Values>;
    // Text typed since then counts.
    const mine: unknown = clash.takes === "mine" ? form.getValues(field) : clash.mine;
    const value = (side === "mine" ? mine : clash.stored) as PathValue<Values, Path<Values>>;
    form.setValue(field, value, { shouldDirty: true });
    setClashes(clashes.with(clashes.indexOf(clash), { ...clash, mine, takes: side }));
  };
  const words = (name: string, value: unknown) => options.describe?.(name, value) ?? wordsOf(element, name, value);

  // Server issues are shown at their field, when there is one, and nowhere else.
  const { setError } = form;
  const failure = save.error;
  const issues = issuesOf(failure, form.getValues());
  const rest = issues.filter(({ field }) => field === undefined);
  useEffect(() => {
    let first = true;
    for (const { field, message } of issuesOf(failure, form.getValues())) {
      if (!field) continue;
      setError(field as Path<Values>, { type: "server", message: issueWords(message) }, { shouldFocus: first });
      first = false;
    }
  }, [failure, form, setError]);

  return {
    control: form.control,
    register: form.register,
    setValue: form.setValue,
    getValues: form.getValues,
    watch: form.watch,
    field: (name, shape) => {
      const issue = (get(errors, name) as { message?: string } | undefined)?.message;
      const field = form.register(name);
      if (!shape) return { ...field, issue };
      const onChange: typeof field.onChange = (event: { target: { value: string } }) => {
        const shaped = shape(event.target.value);
        if (shaped !== event.target.value) event.target.value = shaped;
        return field.onChange(event);
      };
      return { ...field, issue, onChange };
    },
    submit: (event) => {
      // A key of the form may ask for it while it is being saved.
      if (save.isPending) event?.preventDefault();
      else void form.handleSubmit((fields) => save.mutate({ fields, began: base }))(event);
    },
    busy: save.isPending,
    asks,
    proposed: save.proposed !== null,
    error:
      failure instanceof Problem && issues.length > rest.length
        ? new Problem({
            ...failure.document,
            // The detail may repeat the issues.
            ...(rest.length === 0 && { detail: "Nothing was saved. Correct the marked fields." }),
            issues: rest.map(({ path, message }) => ({ path, message })),
          })
        : failure,
    dirty: () => isDirty && !saved.current,
    conflict: clashes && {
      fields: clashes.map(({ name, label, mine, stored, takes }) => ({
        name,
        label,
        takes,
        mine: words(name, mine),
        theirs: words(name, stored),
      })),
      choose,
    },
    takeStored: () => {
      form.reset();
      setClashes(null);
    },
    element: setElement,
  };
}

/** The field of a form for a path of the server, such as "body.tags[0]" for "tags". */
export function fieldOf(path: string, values: FieldValues): string | undefined {
  const parts = path
    .replace(/^\/|^body\./, "")
    .split(/[./[\]]+/)
    .filter(Boolean);
  let value: unknown = values;
  const name: string[] = [];
  for (const part of parts) {
    if (typeof value !== "object" || value === null) break;
    value = (value as Record<string, unknown>)[part];
    if (value === undefined) break;
    name.push(part);
  }
  return name.length > 0 ? name.join(".") : undefined;
}

/** Issues, with the fields that they are about. */
function issuesOf(failure: Error | null, values: FieldValues): { field?: string; path: string; message: string }[] {
  if (!(failure instanceof Problem)) return [];
  const { issues = [], status, detail = "" } = failure.document;
  if (issues.length > 0) return issues.map(({ path, message }) => ({ path, message, field: fieldOf(path, values) }));
  const field = status === 409 ? takenField(detail, values) : undefined;
  return field ? [{ field, path: field, message: detail }] : [];
}

/** The field whose value is taken, as a sentence of the server quotes it: "A role with the name "x" exists already." */
export function takenField(detail: string, values: FieldValues): string | undefined {
  if (!/\balready\b/.test(detail)) return undefined;
  const words = ` ${detail.replaceAll(/["“”,.]/g, " ").replaceAll(/\s+/g, " ")} `;
  return Object.keys(values).find((name) => {
    const value: unknown = values[name];
    if (typeof value !== "string" || value.trim() === "") return false;
    return words.includes(
      ` ${value
        .replaceAll(/["“”,.]/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim()} `,
    );
  });
}
