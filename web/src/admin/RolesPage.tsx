import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { deleteRole, rolesQuery, type Role } from "../api/people";
import { Badge } from "../ui/Badge";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { byModule } from "./modulewords";
import { RoleForm } from "./RoleForm";

/** Holders of a role, with a link to them. */
function holdersOf({ id, name, people, applications }: Role) {
  const programs = applications === 1 ? ", 1 application" : applications > 1 ? `, ${applications} applications` : "";
  return (
    <>
      {people > 0 ? (
        <Link
          className="text-primary underline-offset-4 hover:underline"
          data-testid="role-holders"
          search={{ role: id }}
          to="/admin/users"
        >
          {people === 1 ? "1 person" : `${people} people`}
          <span className="sr-only"> with the role {name}</span>
        </Link>
      ) : (
        "no people"
      )}
      {programs}
    </>
  );
}

function rulesOf({ rules }: Role): string {
  if (rules.includes("*")) return "every access rule";
  if (rules.length === 0) return "no access rules";
  return byModule(rules, (rule) => rule)
    .map(({ title, items }) => `${title} ${items.length}`)
    .join(" · ");
}

export function RolesPage() {
  return (
    <ListPage
      create={(close) => <RoleForm onClose={close} />}
      description="Sets of access rules for users and applications."
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
        warning: "Users and applications with this role lose its rights. This cannot be undone.",
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
          detail={
            <>
              {holdersOf(role)}
              <br />
              {rulesOf(role)}
            </>
          }
          title={role.name}
        />
      )}
      title="Roles"
    />
  );
}
