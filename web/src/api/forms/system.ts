import { z } from "zod";
import type { Contact, NewContact, System } from "../catalog";
import { formatMetadata, metadataSchema, parseList } from "./metadata";
import { chosen, filled } from "./named";

/** A system, with the metadata that it has: values that were not text stay what they were. */
export const systemSchema = (metadata: System["metadata"] | undefined) =>
  z.object({
    name: filled,
    description: z.string().trim(),
    ownerTeamId: z.string().transform((id) => id || undefined),
    tags: z.string().transform(parseList),
    metadata: metadataSchema(metadata),
  });

export const systemValues = (system: System | undefined) => ({
  name: system?.name ?? "",
  description: system?.description ?? "",
  ownerTeamId: "",
  tags: (system?.tags ?? []).join(", "),
  metadata: formatMetadata(system?.metadata),
});

export const linkSchema = z.object({
  url: z.string().trim().pipe(z.url("Enter an address that begins with https://")),
  label: z.string().trim(),
});

const phone = /^\+?[0-9(][0-9 ()./-]*$/;

/** A telephone number: 3 to 15 digits, and what people put between them. */
const isPhone = (text: string) => phone.test(text) && /^.{3,15}$/.test(text.replaceAll(/[^0-9]/g, ""));

const isRoom = (text: string) => URL.canParse(text) && new URL(text).protocol === "https:";

/** Issue with the address of a telephone, a chat room or a pager. */
function addressIssue(type: "phone" | "chat" | "pager", address: string): string | undefined {
  if (type === "phone") return isPhone(address) ? undefined : "Enter a telephone number, such as +49 30 1234567.";
  if (type === "chat") return isRoom(address) ? undefined : "Enter an address that begins with https://.";
  return isPhone(address) || isRoom(address)
    ? undefined
    : "Enter a telephone number, or an address that begins with https://.";
}

/** Whom to ask; the form holds a value for each kind of contact. */
export const contactSchema = z
  .object({
    type: z.enum(["mailbox", "user", "phone", "chat", "pager"]),
    label: z.string().trim(),
    email: z.string().trim(),
    userId: z.string(),
    address: z.string().trim(),
  })
  .check(({ value: { type, email, userId, address }, issues }) => {
    if (type === "mailbox" && !z.email().safeParse(email).success)
      issues.push({ code: "custom", path: ["email"], message: "Enter an e-mail address.", input: email });
    if (type === "user" && userId === "")
      issues.push({ code: "custom", path: ["userId"], message: "Choose one.", input: userId });
    if (type === "mailbox" || type === "user") return;
    const message = addressIssue(type, address);
    if (message) issues.push({ code: "custom", path: ["address"], message, input: address });
  })
  .transform(({ type, label, email, userId, address }): NewContact => {
    if (type === "user") return { type, label, userId };
    return type === "mailbox" ? { type, label, email } : { type, label, address };
  });

export const contactValues = () => ({ type: "mailbox" as const, label: "", email: "", userId: "", address: "" });

/** Where a contact is reached by a click; undefined for a person whose account is gone. */
export function contactLink({
  type,
  email,
  userEmail,
  address = "",
}: Contact): { href: string; label: string } | undefined {
  const mail = email || userEmail;
  if (mail) return { href: `mailto:${mail}`, label: "E-mail" };
  // Stored text becomes a link only when it is what it says it is.
  if (type !== "chat" && isPhone(address)) return { href: `tel:${address.replaceAll(/[^0-9+]/g, "")}`, label: "Call" };
  if (type !== "phone" && isRoom(address)) return { href: address, label: type === "chat" ? "Open chat" : "Page" };
  return undefined;
}

export const groupChoiceSchema = z.object({ groupId: chosen });

export const systemChoiceSchema = z.object({ systemId: chosen });

export const ownerSchema = z.object({ teamId: z.string() });

export const environmentsSchema = z.object({ environmentIds: z.array(z.string()) });
