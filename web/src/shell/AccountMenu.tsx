import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { signOut, type Principal } from "../api/session";
import { Icon, type IconName } from "../ui/Icon";
import { useTheme } from "./theme";

interface AccountMenuProps {
  me: Principal | undefined;
  wide?: boolean;
  onHelp: () => void;
  onLeave: () => void;
}

/** Menu of the signed-in person: account, theme, help and sign-out. */
export function AccountMenu({ me, wide, onHelp, onLeave }: AccountMenuProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { dark, toggle } = useTheme();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: "/sign-in" });
      queryClient.clear();
    },
  });
  const initials = me?.name
    .split(/\s+/)
    .map((word) => word.charAt(0))
    .slice(0, 2)
    .join("")
    .toUpperCase();
  return (
    <div className={`mt-auto flex flex-col gap-1 ${wide ? "" : "items-center"}`}>
      <Action icon="help" label="Help and shortcuts" onClick={onHelp} wide={wide} />
      <Action
        icon={dark ? "sun" : "moon"}
        label={dark ? "Light theme" : "Dark theme"}
        onClick={toggle}
        testId="theme-toggle"
        wide={wide}
      />
      <Action icon="signOut" label="Sign out" onClick={() => leave.mutate()} testId="sign-out" wide={wide} />
      {me && (
        <Link
          activeProps={{ "aria-current": "page" }}
          className={
            "mt-1 flex items-center gap-2 rounded-xl hover:bg-muted aria-[current=page]:bg-primary-soft " +
            (wide ? "px-3 py-1.5" : "p-1")
          }
          data-testid="account-link"
          onClick={onLeave}
          title={`My account: ${me.name}, ${me.email}`}
          to="/account"
        >
          <span
            aria-hidden="true"
            className="inline-flex size-9 items-center justify-center rounded-full bg-muted text-xs font-semibold text-muted-foreground"
          >
            {initials}
          </span>
          <span className={wide ? "min-w-0 truncate text-sm" : "sr-only"} data-testid="me">
            {me.name}
          </span>
          <span className="sr-only">, my account</span>
        </Link>
      )}
    </div>
  );
}

interface ActionProps {
  icon: IconName;
  label: string;
  wide?: boolean;
  testId?: string;
  onClick: () => void;
}

function Action({ icon, label, wide, testId, onClick }: ActionProps) {
  return (
    <button
      aria-label={label}
      className={
        "flex items-center rounded-xl text-muted-foreground transition-colors hover:bg-muted " +
        `hover:text-foreground ${wide ? "gap-3 px-3 py-2.5" : "size-10 justify-center"}`
      }
      data-testid={testId}
      onClick={onClick}
      title={label}
      type="button"
    >
      <Icon name={icon} size={19} />
      {wide && label}
    </button>
  );
}
