import { validate, type Verdict } from './validate.ts';

export interface ValidationRequest {
  readonly id: number;
  readonly schema: object;
  readonly value: unknown;
}
export interface ValidationAnswer {
  readonly id: number;
  readonly verdict: Verdict;
}

self.onmessage = ({ data: { id, schema, value } }: MessageEvent<ValidationRequest>) => {
  self.postMessage({ id, verdict: validate(schema, value) } satisfies ValidationAnswer);
};
