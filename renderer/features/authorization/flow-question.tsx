import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import { credentialsText } from '#shared/authorization/own-credentials.ts';
import type { AuthorizationFlow, FlowQuestion } from '#shared/contract/authorization.ts';
import { readAddress } from '#ui/address.ts';
import { Button } from '#ui/button.tsx';
import { type Fact, Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';

/** What a flow asks before it sends something. Nothing is preselected, and nothing is sent without a click. */
export function FlowQuestionCard({
  flow,
  question,
}: {
  readonly flow: AuthorizationFlow;
  readonly question: FlowQuestion;
}) {
  const answer = useAction(async (isYes: boolean) => {
    await call('authorization/answer', { flowId: flow.id, isYes });
  });
  const { title, facts, why, yes, no } = textsOf(question);
  const address = readAddress(question.kind === 'private-address' ? question.url : question.issuer);
  const warnings = address.state === 'read' ? address.warnings : [];
  return (
    <section
      aria-label="Question"
      className="mx-3 mb-2 rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2"
    >
      <h3 className="mb-1 font-semibold">{title}</h3>
      <Facts facts={facts} />
      {warnings.map((says) => (
        <p key={says} className="mt-1 text-xs text-warn">
          {says}
        </p>
      ))}
      <p className="mt-1 text-sm text-mute">{why}</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button size="small" disabled={answer.isRunning} onClick={() => void answer.run(false)}>
          {no}
        </Button>
        <Button size="small" disabled={answer.isRunning} onClick={() => void answer.run(true)}>
          {yes}
        </Button>
      </div>
      {answer.fault !== null && <FaultCard fault={answer.fault} className="mt-2" />}
    </section>
  );
}

interface Texts {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly why: string;
  readonly yes: string;
  readonly no: string;
}

const asWritten = (text: string) => <PlainText inline text={text} className="mono" />;

function textsOf(question: FlowQuestion): Texts {
  switch (question.kind) {
    case 'other-issuer':
      return {
        title: `Send ${credentialsText(question.credentials)} to another authorization server?`,
        facts: [
          { name: 'Until now', value: asWritten(question.before.join(', ')) },
          { name: 'Now named', value: asWritten(question.issuer) },
        ],
        why: 'The MCP server chooses the authorization server. If you did not expect a change, send nothing: anyone who runs the new one could use what you send at the old one.',
        yes: 'Send',
        no: 'Do not send',
      };
    case 'resource-query':
      return {
        title: "Send the query of the server's URL to the authorization server?",
        facts: [
          { name: 'Parameters', value: asWritten(question.parameters.join(', ')) },
          { name: 'Goes to', value: asWritten(question.issuer) },
        ],
        why: 'The server has no resource metadata, so its URL is sent as resource. A query can have a key in it, and should be left out. Parameters with the name of a secret are left out in any case.',
        yes: 'Send the query',
        no: 'Leave it out',
      };
    case 'private-address':
      return {
        title: 'Go to an address on this machine or its network?',
        facts: [{ name: 'Address', value: asWritten(question.url) }],
        why: [question.fault.what, question.fault.why].filter((text) => text !== undefined).join(' '),
        yes: 'Go there',
        no: 'Do not go there',
      };
  }
}
