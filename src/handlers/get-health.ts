// GET /health: shows that the process is up and responds.

import type { Handler } from './operation.ts';
import { ok } from './operation.ts';

export const getHealth: Handler<'getHealth'> = async () => ok({ status: 'ok' });
