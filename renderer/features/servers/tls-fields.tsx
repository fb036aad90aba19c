import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { HttpDraft, TlsDraft } from './draft/http-draft.ts';
import type { FieldProps } from './field-props.ts';
import { Folded } from './folded.tsx';

type FileName = 'caFile' | 'certFile' | 'keyFile';

const files: readonly {
  readonly name: FileName;
  readonly label: string;
  readonly hint: string;
  /** Where it comes from when no file is named. */
  readonly placeholder: string;
}[] = [
  {
    name: 'caFile',
    label: 'CA file',
    hint: 'trusted beside the usual ones',
    placeholder: 'path of a PEM file',
  },
  {
    name: 'certFile',
    label: 'Client certificate',
    hint: 'to say who we are',
    placeholder: 'path of a PEM file',
  },
  {
    name: 'keyFile',
    label: 'Key of the client certificate',
    hint: 'when it is in a file of its own',
    placeholder: 'in the file of the certificate',
  },
];

/** How an encrypted connection is made; folded away, for most servers need none of it. */
export function TlsFields({ draft, errors, change, judge }: FieldProps<HttpDraft>) {
  const { tls } = draft;
  const changeTls = (part: Partial<TlsDraft>) => change({ tls: { ...tls, ...part } });
  return (
    <Folded
      title="TLS"
      summary={summaryOf(draft)}
      hasErrors={files.some(({ name }) => errors[`tls.${name}`] !== undefined)}
      className="flex flex-col gap-2.5"
    >
      {files.map(({ name, label, hint, placeholder }) => (
        <TextField
          key={name}
          mono
          label={label}
          hint={hint}
          placeholder={placeholder}
          value={tls[name]}
          error={errors[`tls.${name}`]}
          onChange={(path) => changeTls({ [name]: path })}
          onBlur={() => judge(`tls.${name}`)}
        />
      ))}
      <Accepted fingerprint={tls.accepted} onForget={() => changeTls({ accepted: null })} />
    </Folded>
  );
}

function summaryOf({ url, tls }: HttpDraft): string {
  if (/^http:\/\//i.test(url.trim())) return 'not used over http://';
  const set: string[] = [];
  if (tls.caFile.trim() !== '') set.push('CA file');
  if (tls.certFile.trim() !== '') set.push('client certificate');
  if (tls.accepted !== null) set.push('one accepted certificate');
  return set.length === 0 ? 'as the system trusts' : set.join(', ');
}

function Accepted({
  fingerprint,
  onForget,
}: {
  readonly fingerprint: string | null;
  readonly onForget: () => void;
}) {
  return (
    <div>
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <span className="font-medium">Accepted certificate</span>
        <span className="text-xs text-faint">SHA-256</span>
      </div>
      {fingerprint === null ? (
        <p className="text-xs text-faint">
          None. When a server’s certificate is not trusted, the failed connection offers to accept it.
        </p>
      ) : (
        <div className="flex items-start gap-2">
          <code className="mono min-w-0 flex-1 break-all">{visibleLine(fingerprint)}</code>
          <Button size="small" onClick={onForget}>
            Forget it
          </Button>
        </div>
      )}
    </div>
  );
}
