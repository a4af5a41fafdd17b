import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  deleteUser,
  foundUsersQuery,
  rolesQuery,
  usersKey,
  type User,
  type UserFilter,
  type UserStatus,
} from "../api/people";
import { meQuery } from "../api/session";
import { Badge } from "../ui/Badge";
import { SelectFilter } from "../ui/Filters";
import { IconButton } from "../ui/IconButton";
import { ListPage, pagedList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { fullTime } from "../ui/time";
import { PasswordLinkDialog } from "./PasswordLink";
import { UserForm } from "./UserForm";

const route = getRouteApi("/app/admin/users");

const statuses: { value: UserStatus | undefined; label: string }[] = [
  { value: undefined, label: "Any status" },
  { value: "active", label: "Active" },
  { value: "invited", label: "Invited" },
  { value: "disabled", label: "Disabled" },
];

export function UsersPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const { data: roles } = useQuery(rolesQuery);
  const users = useInfiniteQuery({ ...foundUsersQuery(filter), placeholderData: keepPreviousData });
  const [linking, setLinking] = useState<User | null>(null);
  const change = (changes: UserFilter) =>
    void navigate({ to: "/admin/users", search: { ...filter, ...changes }, replace: true });
  const filtered = filter.search !== undefined || filter.status !== undefined || filter.role !== undefined;
  const found = users.data?.pages[0];
  return (
    <>
      <ListPage
        create={(close) => (
          <UserForm
            onClose={close}
            onInvite={(user) => {
              close();
              setLinking(user);
            }}
          />
        )}
        description="People who can sign in."
        edit={(user, close) => <UserForm onClose={close} user={user} />}
        empty={
          filtered ? { title: "No matching users", hint: "Search by part of a name or e-mail address." } : undefined
        }
        filters={
          <>
            <SearchField
              label="Search users"
              maxLength={200}
              onSearch={(text) => change({ search: text || undefined })}
              placeholder="Search by name or e-mail"
              testId="user-search"
              value={filter.search ?? ""}
            />
            <SelectFilter
              label="Status"
              onChange={(status) => change({ status })}
              options={statuses}
              testId="user-status"
              value={filter.status}
            />
            <SelectFilter
              label="Role"
              onChange={(role) => change({ role })}
              options={[
                { value: undefined, label: "Any role" },
                ...(roles ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
              testId="user-role"
              value={filter.role}
            />
            {found && (
              <span className="text-sm text-muted-foreground" data-testid="users-total">
                {found.total === 1 ? "1 person" : `${found.total.toLocaleString("en")}${found.more ? "+" : ""} people`}
              </span>
            )}
          </>
        }
        history={({ id }) => ({ type: "auth.user", id })}
        itemKey={({ id }) => id}
        list={pagedList(users, (page) => page.users)}
        moreHint={(shown) => `These are the first ${shown}, by name. Search to find others faster.`}
        name={({ name }) => name}
        noun="user"
        removable={({ id }) => id !== me?.id}
        remove={{
          send: deleteUser,
          tool: "auth.deleteUser",
          invalidates: [usersKey],
          warning: "Their sessions end at once. To lock the account instead, edit it and select “Disabled”.",
        }}
        row={(user, actions) => (
          <Row
            actions={
              <>
                {user.id !== me?.id && !user.disabled && (
                  <IconButton
                    data-testid="open-password-link"
                    icon="key"
                    label={
                      user.status === "invited"
                        ? `Invite ${user.name} by link`
                        : `Reset the password of ${user.name} by link`
                    }
                    onClick={() => setLinking(user)}
                  />
                )}
                {actions}
              </>
            }
            badges={
              <>
                {user.id === me?.id && <Badge tone="primary">you</Badge>}
                {user.status !== "active" && <Badge tone="warning">{user.status}</Badge>}
                {(user.roles ?? []).map((role) => (
                  <Badge key={role.id}>{role.name}</Badge>
                ))}
              </>
            }
            detail={
              <>
                {user.email}
                <span data-testid="last-sign-in"> · {signInWords(user)}</span>
              </>
            }
            title={user.name}
          />
        )}
        title="Users"
      />
      {linking && <PasswordLinkDialog onClose={() => setLinking(null)} user={linking} />}
    </>
  );
}

function signInWords({ status, lastSignInAt, passwordLink }: User): string {
  if (lastSignInAt) {
    const last = `last signed in ${fullTime(lastSignInAt)}`;
    return passwordLink ? `${last}; password reset link valid until ${fullTime(passwordLink.expiresAt)}` : last;
  }
  if (passwordLink) return `link valid until ${fullTime(passwordLink.expiresAt)}`;
  return status === "invited" ? "no password or link yet" : "never signed in";
}
