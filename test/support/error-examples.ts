// Every error example of the contract, with its operation and status.
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { ErrorCode, ErrorDetail } from '../../openapi/generated/openapi.ts';

export type ShownError = { error: string; code: ErrorCode; requestId: string; details?: ErrorDetail[] };

type Response = { $ref?: string; content?: Content };
type Content = Record<string, { examples?: Record<string, { value: unknown }> }>;

const shared = document.components.responses as unknown as Record<string, Response>;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as {
  operationId: string;
  responses: Record<string, Response>;
}[];

export const errorExamples = operations.flatMap(({ operationId, responses }) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => {
      const { content = {} } = shared[response.$ref?.split('/').at(-1) ?? ''] ?? response;
      return Object.entries(content['application/json']?.examples ?? {}).map(([name, { value }]) => ({
        name: `${operationId} ${status} ${name}`,
        operationId,
        status: Number(status),
        shown: value as ShownError,
      }));
    }),
);
