import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, useLayoutEffect, useRef } from 'react';
import { type InboxAnswer, type InboxMethod, inboxMethods } from '#shared/contract/inbox.ts';
import { rejectionError } from '#shared/protocol/rejections.ts';
import { Button, IconButton } from '../button.tsx';
import { cx } from '../cx.ts';
import { controlLook, FieldError, Input, SelectBox } from '../field.tsx';
import { ruleField, ruleRow, type RuleRow } from './rule-row.ts';

interface RuleListProps {
  readonly rules: readonly RuleRow[];
  /** Error messages by `ruleField`. */
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (rules: readonly RuleRow[]) => void;
  /** Validates a field on blur. */
  readonly validate: (field: string) => void;
}

/** Rules that answer requests of the server without asking the user, to edit and to order. */
export function RuleList({ rules, errors, onChange, validate }: RuleListProps) {
  const addButton = useRef<HTMLButtonElement>(null);
  const move = (from: number, to: number) => {
    const rule = rules[from];
    if (rule !== undefined) onChange(rules.toSpliced(from, 1).toSpliced(to, 0, rule));
  };
  return (
    <>
      <ol className="flex flex-col gap-1.5">
        {rules.map((rule, index) => (
          <li key={rule.key}>
            <RuleForm
              rule={rule}
              index={index}
              count={rules.length}
              isReached={!rules.slice(0, index).some((earlier) => hides(earlier, rule))}
              errors={errors}
              validate={validate}
              onChange={(part) => onChange(rules.with(index, { ...rule, ...part }))}
              onMove={(by) => move(index, index + by)}
              onRemove={() => {
                onChange(rules.toSpliced(index, 1));
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
          onClick={() => onChange([...rules, ruleRow()])}
        >
          Add a rule
        </Button>
        <span className="text-xs text-faint">Questions without a matching rule wait in the Inbox.</span>
      </div>
    </>
  );
}

/** Whether an earlier rule answers every question of a later one. */
const hides = (earlier: RuleRow, later: RuleRow): boolean =>
  earlier.method === later.method && later.contains.includes(earlier.contains);

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
  /** Whether no earlier rule answers all of its questions. */
  readonly isReached: boolean;
  readonly errors: RuleListProps['errors'];
  readonly validate: (field: string) => void;
  readonly onChange: (part: Partial<RuleRow>) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}) {
  const id = useId();
  const name = `rule ${index + 1}`;
  const up = useRef<HTMLButtonElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    // At an end of the list, the button that moved the rule is disabled and loses the focus.
    if (index === 0) down.current?.focus();
    else if (index === count - 1) up.current?.focus();
  }, [index, count]);
  const move = (by: 1 | -1) => {
    isMoving.current = true;
    onMove(by);
  };
  const part = (member: 'json' | 'code' | 'delay') => ({
    'aria-invalid': errors[ruleField(index, member)] === undefined ? undefined : (true as const),
    'aria-describedby': errors[ruleField(index, member)] === undefined ? undefined : `${id}-${member}`,
    onBlur: () => validate(ruleField(index, member)),
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
            ref={up}
            label={`Move ${name} up`}
            disabled={index === 0}
            onClick={() => move(-1)}
          >
            <ArrowUp aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton
            size="small"
            ref={down}
            label={`Move ${name} down`}
            disabled={index === count - 1}
            onClick={() => move(1)}
          >
            <ArrowDown aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton size="small" label={`Remove ${name}`} onClick={onRemove}>
            <X aria-hidden className="size-3.5" />
          </IconButton>
        </span>
      </div>
      <Input
        aria-label={`Text in the questions of ${name}`}
        placeholder="any question, or only those that contain this text"
        className="mt-1.5"
        value={rule.contains}
        onChange={({ target }) => onChange({ contains: target.value })}
      />
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
        const error = errors[ruleField(index, member)];
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
