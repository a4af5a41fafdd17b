import { useState } from "react";
import { localPath } from "./searchparams";
import { SetPassword } from "./SetPassword";
import { SignIn } from "./SignIn";

/** What people see who are not signed in: the sign-in, or the page of the password link that they follow. */
export function Entrance({ onIn }: { onIn: (path: string) => void | Promise<void> }) {
  const [begun] = useState(address);
  if (begun.link) return <SetPassword onIn={onIn} />;
  return <SignIn failed={begun.failed} next={begun.next} onIn={onIn} />;
}

/** The pages of password links, as servers read their addresses. What stands behind # there is a secret, which gets into no query. */
const linkPage = /^\/+(?:invite|reset)\/*$/;

/** What the address asks for. That of another page is the one to go on to. */
function address(): { link?: true; next?: string; failed?: string } {
  const { pathname, search, hash } = window.location;
  if (linkPage.test(pathname)) return { link: true };
  if (pathname === "/sign-in") {
    const asked = new URLSearchParams(search);
    return { next: localPath(asked.get("next")), failed: asked.get("failed") ?? undefined };
  }
  const next = localPath(pathname + search + hash) ?? "/";
  window.history.replaceState(null, "", `/sign-in?${new URLSearchParams({ next })}`);
  return { next };
}
