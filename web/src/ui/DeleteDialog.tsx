import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useWrite } from "../api/write";
import { ConfirmDialog } from "./Dialog";
import { useToast } from "./Toast";

/** How one kind of thing is deleted. */
export interface Deletion<Item> {
  send: (item: Item, idempotencyKey: string) => Promise<unknown>;
  /** What is read again afterwards. */
  invalidates: QueryKey[];
  /** What goes with it, and whether it can be undone. */
  warning: ReactNode | ((item: Item) => ReactNode);
}

interface DeleteDialogProps<Item> extends Deletion<Item> {
  /** What it is called: "system". */
  noun: string;
  name: string;
  item: Item;
  onDeleted: () => void | Promise<void>;
  onClose: () => void;
}

/** Asks before a thing is deleted, deletes it and says so. */
export function DeleteDialog<Item>(props: DeleteDialogProps<Item>) {
  const { noun, name, item, send, invalidates, warning, onDeleted, onClose } = props;
  const toast = useToast();
  const remove = useWrite({
    send,
    invalidates,
    onSuccess: async () => {
      toast(`${name} was deleted`);
      await onDeleted();
    },
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel={`Delete ${noun}`}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(item)}
      title={`Delete ${name}?`}
    >
      {typeof warning === "function" ? warning(item) : warning}
    </ConfirmDialog>
  );
}
