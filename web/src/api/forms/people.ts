import { z } from "zod";
import type { Role, User } from "../people";
import { chosen, filled } from "./named";

const leastPassword = 8;
const optional = z.string().transform((text) => text || undefined);

/** A user, with a password when there is none yet. */
export const userSchema = (user: User | undefined) =>
  z.object({
    name: filled,
    email: z.string().trim().pipe(z.email("Enter an e-mail address.")),
    password: optional.refine(
      (password) => !password || password.length >= leastPassword,
      `Enter at least ${leastPassword} characters.`,
    ),
    mustChangePassword: z.boolean(),
    roleIds: z.array(z.string()),
    disabled: z.boolean().transform((disabled) => (user ? disabled : undefined)),
  });

export const userValues = (user: User | undefined) => ({
  name: user?.name ?? "",
  email: user?.email ?? "",
  password: "",
  roleIds: (user?.roles ?? []).map(({ id }) => id),
  // A new person gets their first password from whoever makes the account.
  mustChangePassword: user?.mustChangePassword ?? true,
  disabled: user?.disabled ?? false,
});

export const roleSchema = z.object({ name: filled, rules: z.array(z.string()) });

export const roleValues = (role: Role | undefined) => ({ name: role?.name ?? "", rules: role?.rules ?? [] });

export const applicationSchema = z.object({ name: filled, roleIds: z.array(z.string()) });

export const memberSchema = z.object({ userId: chosen });
