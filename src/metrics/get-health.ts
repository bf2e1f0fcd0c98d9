// GET /health: shows that the process is up and responds.

import type { Handler } from '../api/operation.ts';
import { ok } from '../api/operation.ts';

export const getHealth: Handler<'getHealth'> = async () => ok({ status: 'ok' });
