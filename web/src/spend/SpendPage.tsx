import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Page } from "../ui/Page";
import { SpendPanel } from "./SpendPanel";

const route = getRouteApi("/app/admin/spend");

/** Model usage of everybody. */
export function SpendPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page
      description="Tokens and costs of all model calls, in your time zone. People in several teams count for each."
      testId="spend-page"
      title="Spend"
    >
      <SpendPanel filter={filter} onFilter={(search) => void navigate({ to: "/admin/spend", search, replace: true })} />
    </Page>
  );
}
