import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { askingLabel, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { AskingNotice } from "./AskingNotice";
import { ConfirmDialog } from "./Dialog";
import { useToast } from "./Toast";

/** How one kind of thing is deleted. */
export interface Deletion<Item> {
  send: (item: Item, idempotencyKey: string) => Promise<unknown>;
  /** What is read again afterwards. */
  invalidates: QueryKey[];
  /** What goes with it, and whether it can be undone. */
  warning: ReactNode | ((item: Item) => ReactNode);
  /** The tool that does the same: what its policy asks for is said before the click. */
  tool?: string;
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
  const asks = useAsks(props.tool);
  const remove = useWrite({
    send,
    invalidates,
    onSuccess: async () => {
      toast(`${name} was deleted`);
      await onDeleted();
    },
    onProposed: onClose,
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel={asks === "off" ? `Delete ${noun}` : askingLabel(asks, `Delete ${noun}`)}
      disabled={asks === "off"}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(item)}
      title={`Delete ${name}?`}
    >
      {typeof warning === "function" ? warning(item) : warning}
      <AskingNotice asks={asks} />
    </ConfirmDialog>
  );
}
