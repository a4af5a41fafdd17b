import { useQuery } from "@tanstack/react-query";
import { deleteUser, usersQuery } from "../api/people";
import { meQuery } from "../api/session";
import { Badge } from "../ui/Badge";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { UserForm } from "./UserForm";

export function UsersPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <ListPage
      create={(close) => <UserForm onClose={close} />}
      description="People who can sign in."
      edit={(user, close) => <UserForm onClose={close} user={user} />}
      history={({ id }) => ({ type: "auth.user", id })}
      itemKey={({ id }) => id}
      list={wholeList(useQuery(usersQuery))}
      name={({ name }) => name}
      noun="user"
      removable={({ id }) => id !== me?.id}
      remove={{
        send: deleteUser,
        tool: "auth.deleteUser",
        invalidates: [usersQuery.queryKey],
        warning:
          "Their sessions end at once. To keep the account and only lock it, edit it and tick “Disabled” instead.",
      }}
      row={(user, actions) => (
        <Row
          actions={actions}
          badges={
            <>
              {user.id === me?.id && <Badge tone="primary">you</Badge>}
              {user.disabled && <Badge tone="warning">disabled</Badge>}
              {(user.roles ?? []).map((role) => (
                <Badge key={role.id}>{role.name}</Badge>
              ))}
            </>
          }
          detail={user.email}
          title={user.name}
        />
      )}
      title="Users"
    />
  );
}
