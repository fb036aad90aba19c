import type { HeaderLines } from '#shared/trace/record.ts';

export type Parameters = readonly (readonly [name: string, value: string])[];

/** A POST of form parameters to an endpoint of an authorization server, before it is encoded. */
export interface FormRequest {
  readonly method: 'POST';
  readonly url: URL;
  /** Without `Content-Type`. */
  readonly headers: HeaderLines;
  readonly parameters: Parameters;
}

/** The parameters as `application/x-www-form-urlencoded`, in their order. */
export const encodeForm = (parameters: Parameters): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString();
