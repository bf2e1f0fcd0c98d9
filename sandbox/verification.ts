// The hosted verification page, for people and for scripts that post the same form.
import { type Request, Router } from 'express';
import type { SandboxContext } from './context.ts';
import { notice } from './pages/layout.ts';
import { verificationPage } from './pages/verify.ts';
import { submitVerification } from './provider/owners.ts';
import { existing } from './provider/resources.ts';
import type { OwnerRow } from './store/rows.ts';

const THANKS = 'That is all we need. You can go back to the app.';
const GONE = notice('This link has expired', 'Go back to the app and start the verification again.');

export function verificationRoutes(context: SandboxContext): Router {
  const router = Router();

  router.get('/:token', (request, response) => {
    const person = ownerOf(context, request.params.token);
    response.status(person ? 200 : 404).type('html');
    if (!person) response.send(GONE);
    else response.send(awaitsData(person) ? verificationPage() : thanks(request));
  });

  router.post('/:token', (request, response) => {
    const person = ownerOf(context, request.params.token);
    response.type('html');
    if (!person) {
      response.status(404).send(GONE);
      return;
    }
    const { fullName, email } = readPerson(request.body);
    if (awaitsData(person)) {
      if (!fullName || !/^[^@\s]+@[^@\s]+$/.test(email)) {
        response.status(400).send(verificationPage('Please give a full name and an e-mail address.'));
        return;
      }
      context.store.transaction(() => submitVerification(context, person, { fullName, email }));
    }
    response.send(thanks(request));
  });
  return router;
}

/** The final page. It links back to the address that the app gave in `return_to`, but only to the phone. */
function thanks({ query }: Request): string {
  const back = text(query['return_to'], 200);
  return notice('Thank you', THANKS, /^\/phone\/(#[\w/-]*)?$/.test(back) ? back : undefined);
}

const awaitsData = (person: OwnerRow) => person.status === 'PENDING' && person.full_name === null;

function ownerOf(context: SandboxContext, token: string): OwnerRow | undefined {
  const sql = 'select owner_uuid from verifications where token = ? and expires_at > ?';
  const found = context.store.get<{ owner_uuid: string }>(sql, token, context.now());
  return found && existing(context, 'owners', found.owner_uuid);
}

function readPerson(body: unknown): { fullName: string; email: string } {
  const { full_name, email } = (body ?? {}) as Record<string, unknown>;
  return { fullName: text(full_name, 200), email: text(email, 254) };
}

function text(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? value.trim().slice(0, maxLength) : '';
}
