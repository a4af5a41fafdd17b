import { useQuery } from "@tanstack/react-query";
import { deleteRole, rolesQuery } from "../api/people";
import { Badge } from "../ui/Badge";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { RoleForm } from "./RoleForm";

export function RolesPage() {
  return (
    <ListPage
      create={(close) => <RoleForm onClose={close} />}
      description="Sets of access rules that users and applications hold."
      edit={(role, close) => <RoleForm onClose={close} role={role} />}
      editable={({ rules }) => !rules.includes("*")}
      history={({ id }) => ({ type: "auth.role", id })}
      itemKey={({ id }) => id}
      list={wholeList(useQuery(rolesQuery))}
      name={({ name }) => name}
      noun="role"
      removable={({ builtin }) => !builtin}
      remove={{
        send: deleteRole,
        tool: "auth.deleteRole",
        invalidates: [rolesQuery.queryKey],
        warning: "Everybody who holds this role loses what it allows. This cannot be undone.",
      }}
      row={(role, actions) => (
        <Row
          actions={actions}
          badges={
            <>
              {role.builtin && <Badge>built in</Badge>}
              {role.rules.includes("*") && <Badge tone="warning">everything</Badge>}
            </>
          }
          detail={<span className="font-mono text-xs">{role.rules.join("  ") || "no rules"}</span>}
          title={role.name}
        />
      )}
      title="Roles"
    />
  );
}
