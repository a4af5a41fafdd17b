import type { QueryKey } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { NamedFields } from "../api/catalog";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { NamedForm } from "./NamedForm";

interface NamedThing extends NamedFields {
  id: string;
}

interface NamedListProps<Thing extends NamedThing> {
  /** What one of them is called, in lower case. */
  noun: string;
  title: string;
  description: string;
  things: Thing[] | undefined;
  error: Error | null;
  onRetry: () => void;
  creatable: boolean;
  editable: (thing: Thing) => boolean;
  deletable: (thing: Thing) => boolean;
  invalidates: QueryKey[];
  create: (fields: NamedFields, idempotencyKey: string) => Promise<unknown>;
  update: (thing: Thing, fields: NamedFields, idempotencyKey: string) => Promise<unknown>;
  remove: (thing: Thing, idempotencyKey: string) => Promise<unknown>;
  withFields?: boolean;
  rowTitle?: (thing: Thing) => ReactNode;
  rowBadges?: (thing: Thing) => ReactNode;
  deleteWarning: string;
}

type Open<Thing> = { kind: "create" } | { kind: "edit" | "delete"; thing: Thing } | null;

/** The list page that groups, environments and teams share. */
export function NamedList<Thing extends NamedThing>(props: NamedListProps<Thing>) {
  const { noun, title, description, things, error, onRetry, creatable, invalidates } = props;
  const toast = useToast();
  const [open, setOpen] = useState<Open<Thing>>(null);
  const close = () => setOpen(null);

  const save = useWrite({
    send: ({ thing, fields }: { thing?: Thing; fields: NamedFields }, key) =>
      thing ? props.update(thing, fields, key) : props.create(fields, key),
    invalidates,
    onSuccess: (_, { fields }) => {
      toast(`${fields.name} was saved`);
      close();
    },
  });
  const remove = useWrite({
    send: props.remove,
    invalidates,
    onSuccess: (_, thing) => {
      toast(`${thing.name} was deleted`);
      close();
    },
  });
  const show = (next: Open<Thing>) => {
    save.reset();
    remove.reset();
    setOpen(next);
  };

  return (
    <Page
      actions={
        creatable && (
          <Button data-testid={`new-${noun}`} icon="plus" onClick={() => show({ kind: "create" })} variant="primary">
            New {noun}
          </Button>
        )
      }
      description={description}
      testId={`${noun}s-page`}
      title={title}
    >
      <ErrorNotice error={error} onRetry={onRetry} />
      {!things && !error && <SkeletonRows />}
      {things?.length === 0 && <EmptyState title={`No ${noun}s yet`} />}
      {things && things.length > 0 && (
        <Rows label={title}>
          {things.map((thing) => (
            <Row
              actions={
                <>
                  {props.editable(thing) && (
                    <IconButton
                      icon="pencil"
                      label={`Edit ${thing.name}`}
                      onClick={() => show({ kind: "edit", thing })}
                    />
                  )}
                  {props.deletable(thing) && (
                    <IconButton
                      icon="trash"
                      label={`Delete ${thing.name}`}
                      onClick={() => show({ kind: "delete", thing })}
                    />
                  )}
                </>
              }
              badges={props.rowBadges?.(thing)}
              detail={thing.description || undefined}
              key={thing.id}
              title={props.rowTitle?.(thing) ?? thing.name}
            />
          ))}
        </Rows>
      )}
      {open?.kind === "create" && (
        <NamedForm
          busy={save.isPending}
          error={save.error}
          onClose={close}
          onSubmit={(fields) => save.mutate({ fields })}
          title={`New ${noun}`}
          withFields={props.withFields}
        />
      )}
      {open?.kind === "edit" && (
        <NamedForm
          busy={save.isPending}
          error={save.error}
          initial={open.thing}
          onClose={close}
          onSubmit={(fields) => save.mutate({ thing: open.thing, fields })}
          title={`Edit ${open.thing.name}`}
          withFields={props.withFields}
        />
      )}
      {open?.kind === "delete" && (
        <ConfirmDialog
          busy={remove.isPending}
          confirmLabel={`Delete ${noun}`}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate(open.thing)}
          title={`Delete ${open.thing.name}?`}
        >
          {props.deleteWarning}
        </ConfirmDialog>
      )}
    </Page>
  );
}
