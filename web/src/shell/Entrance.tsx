import { useState } from "react";
import { localPath } from "./searchparams";
import { SetPassword } from "./SetPassword";
import { SignIn } from "./SignIn";

/** Pages of signed-out people: the sign-in, or the page of a password link. */
export function Entrance({ onIn }: { onIn: (path: string) => void | Promise<void> }) {
  const [begun] = useState(address);
  if (begun.link) return <SetPassword onIn={onIn} />;
  return <SignIn failed={begun.failed} next={begun.next} onIn={onIn} />;
}

/** Pages of password links, as servers read their addresses. The part after # is a secret, which gets into no query. */
const linkPage = /^\/+(?:invite|reset)\/*$/;

/** Parameters of the address. The address of another page is the one to continue to. */
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
