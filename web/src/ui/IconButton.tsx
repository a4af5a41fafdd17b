import type { ComponentProps } from "react";
import { iconButtonShape, whileBusy } from "./Button";
import { Icon, type IconName } from "./Icon";

interface IconButtonProps extends ComponentProps<"button"> {
  icon: IconName;
  label: string;
  /** Takes no second click, and stays where the keyboard is. */
  busy?: boolean;
}

/** A button that shows a picture and says its label, to the eye in a tooltip. */
export function IconButton({ icon, label, busy, className = "", ...rest }: IconButtonProps) {
  return (
    <button
      aria-label={label}
      className={`${iconButtonShape} ${className}`}
      data-hint={label}
      type="button"
      {...whileBusy(busy, rest)}
    >
      <Icon name={icon} size={17} />
    </button>
  );
}
