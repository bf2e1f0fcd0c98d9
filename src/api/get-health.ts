// GET /health: shows that the process is up and responds.
import { type Handler, ok } from './operation.ts';

export const getHealth: Handler<'getHealth'> = async () => ok({ status: 'ok' });
