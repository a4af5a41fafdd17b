/** Redirect target after the end of a session, or for a required password change. */
export type SessionOver = "/sign-in" | "/own-password";

/** Whether a page is left because of that: nobody has chosen to, so what was typed is kept rather than asked about. */
export const isSessionOver = ({ pathname }: { pathname: string }) => ["/sign-in", "/own-password"].includes(pathname);
