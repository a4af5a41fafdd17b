import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { finishMcpSignIn, mcpServersQuery } from "../api/mcpservers";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { Trail, type Crumb } from "../ui/Trail";

const route = getRouteApi("/app/admin/mcp-servers/sign-in/$slug");
const above: Crumb[] = [{ label: "MCP servers", link: { to: "/admin/mcp-servers" } }];

/** Where an authorization server sends the browser back to. What it brings is good once, so it is handed on once. */
export function McpSignInPage() {
  const { slug } = route.useParams();
  const search = route.useSearch();
  const toast = useToast();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const begun = useRef(false);
  const { mutate: finish, error } = useMutation({
    mutationFn: () => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(search)) if (value !== undefined) query.set(name, value);
      return finishMcpSignIn(slug, query.toString());
    },
    onSuccess: async ({ name }) => {
      await queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
      toast(`You are signed in at ${name}, for everybody`);
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
