import { useQueryClient, type QueryKey } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { newId } from "../api/client";
import { deletionKey, isAbout } from "../api/deletion";
import { askingLabel, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { AskingNotice } from "./AskingNotice";
import { ConfirmDialog } from "./Dialog";
import { offerAgain, useToast, type MadeProposal } from "./Toast";

/** How a thing that was deleted is proposed again. */
export interface Again<Item> {
  /** Whether that can be offered, asked before it is deleted. */
  ready: (item: Item) => Promise<boolean>;
  propose: (item: Item, idempotencyKey: string) => Promise<MadeProposal>;
}

/** How one kind of thing is deleted. */
export interface Deletion<Item> {
  send: (item: Item, idempotencyKey: string) => Promise<unknown>;
  /** Queries to read again afterwards. */
  invalidates: QueryKey[];
  /** Consequences, and whether the deletion can be undone. */
  warning: ReactNode | ((item: Item) => ReactNode);
  /** The tool that does the same: what its policy asks for is said before the click. */
  tool?: string;
  /** Undefined for what cannot be made again, or not by the reader. */
  again?: Again<Item>;
}

interface DeleteDialogProps<Item> extends Deletion<Item> {
  /** Its kind: "system". */
  noun: string;
  name: string;
  item: Item;
  onDeleted: () => void | Promise<void>;
  onClose: () => void;
}

/** Asks before a thing is deleted, deletes it and says so. */
export function DeleteDialog<Item>(props: DeleteDialogProps<Item>) {
  const { noun, name, item, send, invalidates, warning, again, onDeleted, onClose } = props;
  const toast = useToast();
  const queryClient = useQueryClient();
  const asks = useAsks(props.tool);
  const offered = useRef(false);
  const remove = useWrite({
    mutationKey: deletionKey,
    send: async (what: Item, key) => {
      // A second attempt may find it gone already.
      offered.current ||= (await again?.ready(what).catch(() => false)) ?? false;
      // An answer after the deletion would be an error.
      await queryClient.cancelQueries({ predicate: isAbout(what) });
      return send(what, key);
    },
    invalidates,
    onSuccess: async () => {
      const key = newId();
      if (again && offered.current) offerAgain(`${name} was deleted`, () => again.propose(item, key));
      else toast(`${name} was deleted`);
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
