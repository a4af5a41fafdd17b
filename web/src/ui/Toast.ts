import { loaded } from "../api/reach";
import type * as Toaster from "./Toaster";

/** A failed notice is no failure of its operation. */
export const notify = (show: (toaster: typeof Toaster) => void) =>
  void loaded(() => import("./Toaster")).then(show, () => {});

const say = (text: string) => notify(({ show }) => show(text));

/** Says briefly that something worked. Failures stay next to what failed instead. */
export const useToast = () => say;

/** A proposal that was made, as a notice says it. */
export interface MadeProposal {
  proposalId: string;
  summary: string;
  twoPerson?: boolean;
}

/** Says that something is gone, and offers to propose it again. */
export const offerAgain = (text: string, propose: () => Promise<MadeProposal>) =>
  notify(({ showAgain }) => showAgain(text, propose));
