import type { ComponentProps } from "react";
import { iconButtonShape } from "./Button";
import { Icon, type IconName } from "./Icon";
import { Hint } from "./Tooltip";

interface IconButtonProps extends ComponentProps<"button"> {
  icon: IconName;
  label: string;
}

/** A button that shows a picture and says its label, to the eye in a tooltip. */
export function IconButton({ icon, label, className = "", ...rest }: IconButtonProps) {
  return (
    <Hint text={label}>
      <button aria-label={label} className={`${iconButtonShape} ${className}`} type="button" {...rest}>
        <Icon name={icon} size={17} />
      </button>
    </Hint>
  );
}
