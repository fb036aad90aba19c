import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { defaultAuthorization } from '#shared/contract/authorization.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import { quoted } from '#hosts/cli/option-values.ts';

type Redirect = AuthorizationSettings['redirect'];

const hosts = ['127.0.0.1', 'localhost', '[::1]'] as const satisfies readonly Redirect['host'][];

/**
 * Where the browser is sent back to: `PORT`, `HOST`, `HOST:PORT`, each with or without `/PATH`, or the whole URL. What is missing is as
 * by default: 127.0.0.1, a free port, `/callback`.
 *
 * @throws UsageError
 */
export function readRedirect(text: string): Redirect {
  const complain = (why: string) =>
    new UsageError(
      `--redirect wants PORT, HOST:PORT or HOST:PORT/PATH, such as 8080 or localhost:8080/callback; ${why}`,
    );
  const [, host = '', digits, path] =
    /^(?:http:\/\/)?(\[[^\]]*\]|[^:/?#[\]]*)(?::(\d*))?(\/(?:[^/?#][^?#]*)?)?$/.exec(text) ?? [null, null];
  if (host === null || text === '') throw complain(`it is ${quoted(text)}`);
  const isPort = /^\d+$/.test(host) && digits === undefined;
  const named = isPort ? '' : host;
  const known = hosts.find((one) => one === named.toLowerCase());
  if (named !== '' && known === undefined)
    throw complain(`the host is one of ${hosts.join(', ')}, not ${quoted(named)}`);
  const port = isPort ? host : digits;
  const number = port === undefined || port === '' ? null : Number(port);
  if (number !== null && !(number >= 1 && number <= 65_535))
    throw complain(`the port is from 1 to 65535, not ${quoted(port ?? '')}`);
  const { redirect } = defaultAuthorization;
  return { host: known ?? redirect.host, port: number, path: path ?? redirect.path };
}
