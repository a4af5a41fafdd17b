const say = (text: string) => void import("./Toaster").then(({ show }) => show(text));

/** Says briefly that something worked. Failures stay next to what failed instead. */
export const useToast = () => say;

/** Says that something is gone, and offers to propose it again. */
export const offerAgain = (
  text: string,
  propose: () => Promise<{ proposalId: string; summary: string; twoPerson?: boolean }>,
) => void import("./Toaster").then(({ showAgain }) => showAgain(text, propose));
