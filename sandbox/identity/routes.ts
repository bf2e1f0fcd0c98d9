// One identity provider: its key set, a page, and the route that mints a token.
import { Router } from 'express';
import type { SandboxContext } from '../context.ts';
import { tokenPage } from '../pages/token.ts';
import { loadSigningKey, type ProviderLetter, type SigningKey } from './keys.ts';
import { mintIdToken, type TokenRequest } from './tokens.ts';

export function identityRoutes(context: SandboxContext, letter: ProviderLetter): Router {
  let loading: Promise<SigningKey> | undefined;
  // Generating a key takes much of a second, so it is done on first use.
  const signingKey = () => (loading ??= loadSigningKey(context, letter));
  const issuer = `${context.baseUrl}/identity/${letter}`;
  const router = Router();

  router.get('/jwks.json', async (_request, response) => {
    response.json({ keys: [(await signingKey()).publicJwk] });
  });
  router.get('/', (_request, response) => {
    response.type('html').send(tokenPage(letter, issuer));
  });
  router.post('/token', async (request, response) => {
    const fromPage = request.is('application/x-www-form-urlencoded');
    const tokenRequest = fromPage
      ? readForm(request.body as Record<string, string>)
      : (request.body as TokenRequest);
    const idToken = await mintIdToken(letter, issuer, await signingKey(), tokenRequest ?? {}, context.now());
    if (fromPage) response.type('html').send(tokenPage(letter, issuer, idToken));
    else response.json({ idToken });
  });
  return router;
}

/** Empty fields count as absent. */
function readForm(fields: Record<string, string>): TokenRequest {
  const { subject, email, name, emailVerified, nonce, issuerWithoutScheme } = fields;
  return {
    ...(subject && { subject }),
    ...(email && { email, emailVerified: emailVerified === 'on' }),
    ...(name && { name }),
    ...(nonce && { nonce }),
    ...(issuerWithoutScheme === 'on' && { issuerWithoutScheme: true }),
  };
}
