/** Redirect target after the end of a session, or for a required password change. */
export type SessionOver = "/sign-in" | "/own-password";

/** Whether the session's end leaves the page: the user has not chosen to, so drafts are kept without a question. */
export const isSessionOver = ({ pathname }: { pathname: string }) => ["/sign-in", "/own-password"].includes(pathname);
