import { Plus, ArrowDown, ArrowUp, X } from 'lucide-react';
import { useRef, useId } from 'react';
import { type InboxAnswer, type InboxMethod, inboxMethods } from '#shared/contract/inbox.ts';
import { rejectionError } from '#shared/protocol/rejections.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { controlLook, FieldError, Input, SelectBox } from '#ui/field.tsx';
import { type ClientDraft, ruleRow, type RuleRow } from '../draft/client-draft.ts';
import type { DraftErrors } from '../draft/draft-part.ts';
import { FieldGroup, type FieldProps } from './form-parts.tsx';

/** Rules that answer requests of the server without asking the user. */
export function RuleFields({ draft: { rules }, errors, change, validate }: FieldProps<ClientDraft>) {
  const addButton = useRef<HTMLButtonElement>(null);
  const move = (from: number, to: number) => {
    const rule = rules[from];
    if (rule !== undefined) change({ rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule) });
  };
  return (
    <FieldGroup label="Rules" hint="answer without asking you; the first match wins">
      <ol className="flex flex-col gap-1.5">
        {rules.map((rule, index) => (
          <li key={rule.key}>
            <RuleForm
              rule={rule}
              index={index}
              count={rules.length}
              isReached={rules.findIndex(({ method }) => method === rule.method) === index}
              errors={errors}
              validate={validate}
              onChange={(part) => change({ rules: rules.with(index, { ...rule, ...part }) })}
              onMove={(by) => move(index, index + by)}
              onRemove={() => {
                change({ rules: rules.toSpliced(index, 1) });
                // The focused button was removed.
                addButton.current?.focus();
              }}
            />
          </li>
        ))}
      </ol>
      <div className="mt-1.5 flex items-center gap-2">
        <Button
          ref={addButton}
          size="small"
          icon={<Plus aria-hidden className="size-3" />}
          onClick={() => change({ rules: [...rules, ruleRow()] })}
        >
          Add a rule
        </Button>
        <span className="text-xs text-faint">Questions without a matching rule wait in the Inbox.</span>
      </div>
    </FieldGroup>
  );
}

const methods = inboxMethods.map((method) => ({ value: method, label: method }));

const answers: readonly { readonly value: InboxAnswer['kind']; readonly label: string }[] = [
  { value: 'defaults', label: 'accept with defaults' },
  { value: 'decline', label: 'decline' },
  { value: 'cancel', label: 'cancel' },
  { value: 'result', label: 'this result' },
  { value: 'error', label: 'this error' },
];

const defaultAnswers: Readonly<Record<InboxMethod, string>> = {
  'sampling/createMessage': 'Sampling has no default answer: the question waits for you.',
  'elicitation/create': 'A form whose required fields have no defaults waits for you.',
  'roots/list': 'Sends the roots above.',
};

/** Explains an answer where its name does not; null where it does. */
function answerNote(method: InboxMethod, kind: InboxAnswer['kind']): string | null {
  if (kind === 'defaults') return defaultAnswers[method];
  const error = kind === 'decline' || kind === 'cancel' ? rejectionError(method, kind) : null;
  return error === null ? null : `Sends the error ${error.code} “${error.message}”.`;
}

/** One rule: which request, which answer, after which delay. */
function RuleForm({
  rule,
  index,
  count,
  isReached,
  errors,
  validate,
  onChange,
  onMove,
  onRemove,
}: {
  readonly rule: RuleRow;
  readonly index: number;
  readonly count: number;
  /** No earlier rule answers the same method. */
  readonly isReached: boolean;
  readonly errors: DraftErrors;
  readonly validate: (field: string) => void;
  readonly onChange: (part: Partial<RuleRow>) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}) {
  const id = useId();
  const name = `rule ${index + 1}`;
  const at = `client.rules.${index}`;
  const part = (member: 'json' | 'code' | 'delay') => ({
    'aria-invalid': errors[`${at}.${member}`] === undefined ? undefined : (true as const),
    'aria-describedby': errors[`${at}.${member}`] === undefined ? undefined : `${id}-${member}`,
    onBlur: () => validate(`${at}.${member}`),
  });
  const note = isReached
    ? answerNote(rule.method, rule.kind)
    : 'Never reached: an earlier rule answers these questions.';
  return (
    <div role="group" aria-label={`Rule ${index + 1}`} className="rounded-ui border border-line p-1.5">
      <div className="flex items-center gap-1.5">
        <SelectBox
          aria-label={`Question of ${name}`}
          className="min-w-0 flex-1"
          value={rule.method}
          options={methods}
          onChange={(method) => onChange({ method })}
        />
        <SelectBox
          aria-label={`Answer of ${name}`}
          className="min-w-0 flex-1"
          value={rule.kind}
          options={answers}
          onChange={(kind) => onChange({ kind })}
        />
        <span className="flex items-center">
          <IconButton
            size="small"
            label={`Move ${name} up`}
            disabled={index === 0}
            onClick={() => onMove(-1)}
          >
            <ArrowUp aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton
            size="small"
            label={`Move ${name} down`}
            disabled={index === count - 1}
            onClick={() => onMove(1)}
          >
            <ArrowDown aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton size="small" label={`Remove ${name}`} onClick={onRemove}>
            <X aria-hidden className="size-3.5" />
          </IconButton>
        </span>
      </div>
      {rule.kind === 'result' && (
        <textarea
          {...part('json')}
          aria-label={`Result of ${name} as JSON`}
          spellCheck={false}
          rows={3}
          placeholder={examples[rule.method]}
          className={cx(controlLook, 'mono mt-1.5 block resize-y py-1')}
          value={rule.json}
          onChange={({ target }) => onChange({ json: target.value })}
        />
      )}
      {rule.kind === 'error' && (
        <div className="mt-1.5 flex items-center gap-1.5">
          <Input
            {...part('code')}
            aria-label={`Code of the error of ${name}`}
            inputMode="numeric"
            className="mono max-w-24"
            value={rule.code}
            onChange={({ target }) => onChange({ code: target.value })}
          />
          <Input
            aria-label={`Message of the error of ${name}`}
            value={rule.message}
            onChange={({ target }) => onChange({ message: target.value })}
          />
        </div>
      )}
      <div className="mt-1.5 flex items-center gap-3">
        <span className="flex shrink-0 items-center gap-1 text-xs text-mute">
          after
          <Input
            {...part('delay')}
            aria-label={`Delay of ${name} in milliseconds`}
            inputMode="numeric"
            className="mono max-w-16"
            value={rule.delay}
            onChange={({ target }) => onChange({ delay: target.value })}
          />
          ms
        </span>
        {note !== null && (
          <p className={cx('min-w-0 text-xs', isReached ? 'text-faint' : 'text-warn')}>{note}</p>
        )}
      </div>
      {(['json', 'code', 'delay'] as const).map((member) => {
        const error = errors[`${at}.${member}`];
        return error === undefined ? null : (
          <FieldError key={member} id={`${id}-${member}`}>
            {error}
          </FieldError>
        );
      })}
    </div>
  );
}

const examples: Readonly<Record<InboxMethod, string>> = {
  'sampling/createMessage':
    '{"role": "assistant", "content": {"type": "text", "text": "…"}, "model": "by-rule"}',
  'elicitation/create': '{"action": "accept", "content": {}}',
  'roots/list': '{"roots": [{"uri": "file:///…"}]}',
};
