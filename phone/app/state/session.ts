// Who is signed in, and the client that speaks for them.
import { createPonte, type SessionRequest } from '@ponte/client';
import { forgetEverything, keptStore } from './kept.ts';
import { createStore } from './store.ts';

export const session = keptStore<string>('session');
const lastUser = keptStore<string>('user');
/** A sentence for the next screen, for example why somebody was signed out. */
export const notice = createStore<string | null>(null);

const apiUrl = document.querySelector<HTMLMetaElement>('meta[name=ponte-api]')?.content ?? '';
const kept = session.get();

export const ponte = createPonte({
  baseUrl: apiUrl,
  ...(kept !== null && { sessionToken: kept }),
  // A new one is kept by signIn, below.
  onSession: (token) => {
    if (token !== null || session.get() === null) return;
    // The API ended it: what the person was doing stays, for when they have signed in again.
    notice.set('Please sign in again.');
    session.set(null);
  },
});

export async function signIn(request: SessionRequest): Promise<void> {
  const { sessionToken, user } = await ponte.signIn(request);
  if (lastUser.get() !== user.id) forgetEverything();
  lastUser.set(user.id);
  notice.set(null);
  session.set(sessionToken);
}

export function signOut(): void {
  forgetEverything();
  ponte.signOut();
  notice.set(null);
}
