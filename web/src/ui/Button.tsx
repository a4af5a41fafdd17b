import type { ComponentProps, SyntheticEvent } from "react";
import { Icon, type IconName } from "./Icon";

type Variant = "primary" | "secondary" | "quiet" | "danger";

const variants: Record<Variant, string> = {
  primary: "bg-primary text-primary-foreground hover:bg-primary-strong border-transparent",
  secondary: "bg-card text-foreground border-input hover:bg-muted",
  quiet: "bg-transparent text-muted-foreground border-transparent hover:bg-muted hover:text-foreground",
  danger: "bg-danger text-background hover:opacity-90 border-transparent",
};

interface ButtonProps extends ComponentProps<"button"> {
  variant?: Variant;
  icon?: IconName;
  /** Shows progress and takes no second click. It stays where the keyboard is, so it is not disabled. */
  busy?: boolean;
}

export const buttonShape =
  "inline-flex min-h-9 items-center justify-center gap-1.5 rounded-lg border px-3 py-1.5 text-sm " +
  "font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-disabled:opacity-50";

/** A busy button ignores clicks and submits no form: Enter in a field clicks its form's button, too. */
const swallow = (event: SyntheticEvent) => {
  event.preventDefault();
  event.stopPropagation();
};

/**
 * Attributes of a busy button. A disabled one would lose the keyboard focus, which then starts at the top of the page.
 */
export function whileBusy<Props extends ComponentProps<"button">>(busy: boolean | undefined, props: Props): Props {
  if (!busy) return props;
  return { ...props, "aria-busy": true, "aria-disabled": true, disabled: false, onClick: swallow };
}

export function Button({ variant = "secondary", icon, busy, className = "", children, ...rest }: ButtonProps) {
  return (
    <button className={`${buttonShape} ${variants[variant]} ${className}`} type="button" {...whileBusy(busy, rest)}>
      {busy ? <Spinner /> : icon ? <Icon name={icon} size={16} /> : null}
      {children}
    </button>
  );
}

export const iconButtonShape =
  "inline-flex size-8 items-center justify-center rounded-lg text-muted-foreground transition-colors " +
  "hover:bg-muted hover:text-foreground disabled:opacity-40 aria-disabled:opacity-40";

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
