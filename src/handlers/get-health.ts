// GET /health: the process is up and answering.

import type { Handler } from './operation.ts';
import { ok } from './operation.ts';

export const getHealth: Handler<'getHealth'> = async () => ok({ status: 'ok' });
