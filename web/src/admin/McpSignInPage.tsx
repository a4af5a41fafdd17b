import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { finishMcpSignIn, mcpServersQuery } from "../api/mcpservers";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Trail, type Crumb } from "../ui/Trail";

const route = getRouteApi("/app/admin/mcp-servers/sign-in/$slug");
const above: Crumb[] = [{ label: "MCP servers", link: { to: "/admin/mcp-servers" } }];

/** Redirect target of an authorization server. Its code works once, so it is handed on once. */
export function McpSignInPage() {
  const { slug } = route.useParams();
  const query = route.useLoaderData();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const begun = useRef(false);
  const { mutate: finish, error } = useMutation({
    mutationFn: () => finishMcpSignIn(slug, query.replace(/^\?/, "")),
    // The row reports success: in a new document, a toast may not be rendered yet.
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
      await navigate({ to: "/admin/mcp-servers", replace: true });
    },
  });
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    finish();
  }, [finish]);
  return (
    <Page testId="mcp-sign-in-page" title="Sign in at an MCP server" trail={<Trail crumbs={above} />}>
      {error ? <ErrorNotice error={error} /> : <SkeletonRows rows={1} />}
    </Page>
  );
}
