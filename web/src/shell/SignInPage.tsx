import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { SignIn } from "./SignIn";

const route = getRouteApi("/sign-in");

/** The sign-in in a document that the app is loaded in: where somebody has signed out, or their session was over. */
export function SignInPage() {
  const { next, failed } = route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  return (
    <SignIn
      failed={failed}
      next={next}
      onIn={(path) => {
        queryClient.clear();
        router.history.push(path);
      }}
    />
  );
}
