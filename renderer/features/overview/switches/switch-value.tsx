import { z } from 'zod';
import { type Switches, switchesSchema } from '#shared/contract/sessions.ts';
import { type Reading, ValueField } from './value-field.tsx';

/** What a switch needs to know beside that it is on. */
export function SwitchValue({
  name,
  switches,
  onChange,
}: {
  readonly name: keyof Switches;
  readonly switches: Switches;
  readonly onChange: (switches: Switches) => void;
}) {
  const { initialized, versionHeader, meta } = switches;
  if (name === 'initialized' && initialized.how === 'delay') {
    const inForce = String(initialized.milliseconds);
    return (
      <ValueField
        key={inForce}
        label="Delay"
        hint="milliseconds, up to 10 minutes"
        inForce={inForce}
        read={readDelay}
        onApply={(value) => onChange({ ...switches, initialized: value })}
      />
    );
  }
  if (name === 'versionHeader' && versionHeader.how === 'replace') {
    return (
      <ValueField
        key={versionHeader.value}
        label="Value of the header"
        hint="any text"
        inForce={versionHeader.value}
        read={readHeader}
        onApply={(value) => onChange({ ...switches, versionHeader: { how: 'replace', value } })}
      />
    );
  }
  if (name === 'meta' && meta.how === 'change') {
    const inForce = JSON.stringify(meta.members, null, 2);
    return (
      <ValueField
        key={inForce}
        multiline
        label="Members"
        hint="a JSON object; null takes a member out"
        inForce={inForce}
        read={readMembers}
        onApply={(members) => onChange({ ...switches, meta: { how: 'change', members } })}
      />
    );
  }
  return null;
}

const delaySchema = switchesSchema.shape.initialized;

function readDelay(text: string): Reading<Switches['initialized']> {
  const parsed = delaySchema.safeParse({ how: 'delay', milliseconds: Number(text) });
  return parsed.success && /^\d+$/.test(text)
    ? { ok: true, value: parsed.data }
    : { ok: false, why: 'A whole number of milliseconds from 1 to 600,000.' };
}

/** Characters that a header cannot carry (RFC 9110 section 5.5): a line end would begin another header. */
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;

const readHeader = (text: string): Reading<string> =>
  notInHeader.test(text)
    ? { ok: false, why: 'A header carries neither line ends nor characters beyond Latin-1.' }
    : { ok: true, value: text };

const membersSchema = z.record(z.string(), z.unknown());

function readMembers(text: string): Reading<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
  const parsed = membersSchema.safeParse(json);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, why: 'A JSON object is needed.' };
}
