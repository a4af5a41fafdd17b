import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { checkQuery, kindsQuery } from "../../api/health";
import { meQuery } from "../../api/session";
import { isMissing, MissingPage } from "../../ui/Missing";
import { ErrorNotice, SkeletonRows } from "../../ui/Notice";
import { Page } from "../../ui/Page";
import type { Crumb } from "../../ui/Trail";
import { CheckEditor } from "./CheckEditor";

const route = getRouteApi("/app/health/editor");
const trail: Crumb[] = [{ label: "Checks", link: { to: "/health/checks", search: {} } }];

/** The page in which a check is made or changed. */
export function CheckEditorPage() {
  const { check: id, system } = route.useSearch();
  const kinds = useQuery(kindsQuery);
  const check = useQuery({ ...checkQuery(id ?? ""), enabled: id !== undefined });
  const { data: me } = useQuery(meQuery);
  const error = kinds.error ?? check.error;
  if (me && kinds.data && (id === undefined || check.data))
    return (
      <CheckEditor check={check.data} key={id ?? "new"} kinds={kinds.data} person={me.id} systemId={system ?? ""} />
    );
  if (isMissing(check.error)) return <MissingPage noun="check" trail={trail} />;
  return (
    <Page title={id ? "Edit a check" : "New check"}>
      {error ? (
        <ErrorNotice
          error={error}
          onRetry={() => {
            void kinds.refetch();
            if (id) void check.refetch();
          }}
        />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}
