import { z } from "zod";
import { leastPassword } from "../entrance";
import type { Role, User } from "../people";
import { chosen, filled } from "./named";

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
  // A new person gets their first password from the creator of the account.
  mustChangePassword: user?.mustChangePassword ?? true,
  disabled: user?.disabled ?? false,
});

export const roleSchema = z.object({ name: filled, rules: z.array(z.string()) });

export const roleValues = (role: Role | undefined) => ({ name: role?.name ?? "", rules: role?.rules ?? [] });

/** A day on which something ends, which is at its end where the person is; none for never. */
const lastDay = z
  .string()
  .refine((day) => day === "" || new Date(`${day}T23:59:59`).getTime() > Date.now(), "Choose today or a later day.")
  .transform((day) => (day === "" ? undefined : new Date(`${day}T23:59:59`).toISOString()));

export const applicationSchema = z.object({ name: filled, roleIds: z.array(z.string()), expiresAt: lastDay });

export const replacementSchema = z.object({ expiresAt: lastDay });

export const memberSchema = z.object({ userId: chosen });
