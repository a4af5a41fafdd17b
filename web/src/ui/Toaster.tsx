import { Toast } from "@base-ui/react/toast";
import { useEffect, useState } from "react";
import { explain } from "../api/problem";
import { whileBusy } from "./Button";
import type { MadeProposal } from "./Toast";

interface Extra {
  link?: string;
  /** Proposes a deleted record again. */
  again?: () => Promise<void>;
}

const visibleMilliseconds = 4_000;
const toasts = Toast.createToastManager<Extra>();
let latest: string | undefined;
/** Toast that waits for its place: the manager drops one without a mounted viewport. */
let waiting: (() => void) | undefined;
let placed = false;

/** Shows a notice in place of the one before it. */
function put(notice: Parameters<typeof toasts.add>[0]): void {
  const add = () => {
    if (latest) toasts.close(latest);
    latest = toasts.add(notice);
  };
  if (placed) add();
  else waiting = add;
}

export function show(text: string): void {
  put({ title: text, timeout: visibleMilliseconds });
}

/** Reports the failure of an operation whose page was left. */
export function showFailure(error: Error): void {
  put({ title: `That did not work: ${explain(error)}`, timeout: 4 * visibleMilliseconds });
}

/** Reports a change that is pending approval, with a link to its card. */
export function showProposed(write: { summary: string; link: string; twoPerson: boolean }): void {
  const who = write.twoPerson ? "a second person" : "a decision";
  put({
    title: `Waits for ${who}: ${write.summary}`,
    timeout: 4 * visibleMilliseconds,
    data: { link: write.link },
  });
}

/** Says that something is gone, with a button that proposes it again. */
export function showAgain(text: string, propose: () => Promise<MadeProposal>): void {
  const again = async () => {
    try {
      const { proposalId, summary, twoPerson = false } = await propose();
      showProposed({ summary, link: `/proposals?proposal=${proposalId}`, twoPerson });
    } catch (error) {
      show(`It cannot be restored: ${explain(error)}`);
    }
  };
  put({ title: text, timeout: 3 * visibleMilliseconds, data: { again } });
}

/** Modals and bars for a thumb have their buttons at the bottom, so toasts move to the top; clicks pass through toasts. */
export function Toaster() {
  useEffect(() => {
    placed = true;
    waiting?.();
    waiting = undefined;
    return () => {
      placed = false;
    };
  }, []);
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport
          // Notifications are the name of a part of the product.
          aria-label="Messages of this page"
          className={
            "pointer-events-none fixed inset-x-0 z-50 flex flex-col items-center gap-2 outline-none " +
            "[body:has([data-modal],[data-bar])_&]:top-4 [body:not(:has([data-modal],[data-bar]))_&]:bottom-6"
          }
        >
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts: shown } = Toast.useToastManager<Extra>();
  return shown.map((toast) => (
    <Toast.Root
      className="rise rounded-full bg-foreground px-4 py-2 text-sm text-background shadow-floating"
      data-testid="toast"
      key={toast.id}
      swipeDirection="down"
      toast={toast}
    >
      <Toast.Title render={<p />} />
      {toast.data?.link && (
        <a className="pointer-events-auto underline underline-offset-2" data-testid="toast-link" href={toast.data.link}>
          Open the proposal
        </a>
      )}
      {toast.data?.again && <AgainButton again={toast.data.again} />}
    </Toast.Root>
  ));
}

function AgainButton({ again }: { again: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const press = () => {
    setBusy(true);
    void again();
  };
  return (
    <button
      className="pointer-events-auto underline underline-offset-2 aria-disabled:opacity-60"
      data-testid="toast-again"
      type="button"
      {...whileBusy(busy, { onClick: press })}
    >
      Restore it
    </button>
  );
}
