import { validate, type Validation } from './validate.ts';

export interface ValidationRequest {
  readonly id: number;
  readonly schema: object;
  readonly value: unknown;
}
export interface ValidationResponse {
  readonly id: number;
  readonly validation: Validation;
}

self.onmessage = ({ data: { id, schema, value } }: MessageEvent<ValidationRequest>) => {
  self.postMessage({ id, validation: validate(schema, value) } satisfies ValidationResponse);
};
