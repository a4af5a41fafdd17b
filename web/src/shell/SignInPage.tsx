import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { SignIn } from "./SignIn";

const route = getRouteApi("/sign-in");

/** Sign-in in a document with the app loaded: after a sign-out, or the end of a session. */
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
