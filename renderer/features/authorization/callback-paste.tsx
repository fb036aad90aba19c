import { useState } from 'react';
import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Input } from '#ui/field.tsx';

/** Takes the callback as text, if the browser cannot reach us. What is wrong stays in the box, with the reason below. */
export function CallbackPaste({ flow }: { readonly flow: AuthorizationFlow }) {
  const [callback, setCallback] = useState('');
  const take = useAction(async () => {
    await call('authorization/callback', { flowId: flow.id, url: callback.trim() });
    setCallback('');
  });
  return (
    <>
      <form
        aria-label="Callback"
        className="mt-2 flex gap-2"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (callback.trim() !== '') void take.run();
        }}
      >
        <Input
          aria-label="Callback URL"
          placeholder="…or paste the URL the browser was redirected to, or its query"
          value={callback}
          onChange={({ target }) => setCallback(target.value)}
          className="mono h-6 min-w-0"
        />
        <Button type="submit" size="small" disabled={callback.trim() === '' || take.isRunning}>
          Use
        </Button>
      </form>
      {take.fault !== null && <FaultCard fault={take.fault} className="mt-2" />}
    </>
  );
}
