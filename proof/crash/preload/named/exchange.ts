// Replaces src/provider/exchange.ts: each call to the provider has its points, under the name of its operation.
import * as provider from '../../../../src/provider/exchange.ts';
import { aroundCall } from '../upstream.ts';

export const exchange: typeof provider.exchange = (pool, request, withinMs) =>
  aroundCall(request, () => provider.exchange(pool, request, withinMs));
