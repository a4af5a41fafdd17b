import { Link } from "@tanstack/react-router";
import { buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";

interface NewCheckLinkProps {
  /** The system that the check is for, if it is known. */
  system?: string;
}

/** Leads to an empty editor. */
export function NewCheckLink({ system }: NewCheckLinkProps) {
  return (
    <Link
      className={`${buttonShape} border-transparent bg-primary text-primary-foreground hover:bg-primary-strong`}
      data-testid="new-check"
      search={system ? { system } : {}}
      to="/health/editor"
    >
      <Icon name="plus" size={16} />
      New check
    </Link>
  );
}
