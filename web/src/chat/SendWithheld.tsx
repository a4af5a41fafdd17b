import { sendWithheld } from "../api/withheld";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";

/** Lets the next message send content again that the provider has refused. */
export function SendWithheld({ chat }: { chat: string }) {
  const send = useWrite({ send: (id: string, key) => sendWithheld(id, key) });
  if (send.data) {
    return (
      <p data-testid="withheld-sent" role="status">
        {send.data.parts > 0 ? "Your next message sends it again." : "Nothing is left out any more."}
      </p>
    );
  }
  return (
    <>
      <ErrorNotice error={send.error} />
      <Button busy={send.isPending} className="w-fit" data-testid="send-withheld" onClick={() => send.mutate(chat)}>
        Send it again
      </Button>
    </>
  );
}
