const say = (text: string) => void import("./Toaster").then(({ show }) => show(text));

/** Says briefly that something worked. Failures stay next to what failed instead. */
export const useToast = () => say;
