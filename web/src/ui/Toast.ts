const say = (text: string) => void import("./Toaster").then(({ show }) => show(text));

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
  void import("./Toaster").then(({ showAgain }) => showAgain(text, propose));
