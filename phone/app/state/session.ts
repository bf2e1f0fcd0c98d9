// The signed-in person's session, and the client that makes calls with it.
import { createPonte, type SessionRequest } from '@ponte/client';
import { language } from '../texts/language.ts';
import { t } from '../texts/t.ts';
import { forgetEverything, isOver, keptStore, session } from './kept.ts';
import { createStore } from './store.ts';

export { session };

const lastUser = keptStore<string>('user');
/** A sentence for the next screen, for example why the person was signed out. */
export const notice = createStore<string | null>(null);

const apiUrl = document.querySelector<HTMLMetaElement>('meta[name=ponte-api]')?.content ?? '';
const kept = session.get();

export const ponte = createPonte({
  baseUrl: apiUrl,
  // The API's sentences are in the language of the phone's own.
  language,
  ...(kept !== null && { sessionToken: kept }),
  // The function signIn, below, keeps a new session.
  onSession: (token) => {
    if (token !== null || session.get() === null) return;
    // The API ended the session. The person's intentions stay, so that they can continue after signing in again.
    notice.set(t('Please sign in again.'));
    session.set(null);
  },
});

// Every tab follows the one in which the person signs in or out. A reload also forgets what is in this tab's memory.
addEventListener('storage', () => {
  if (isOver()) location.reload();
});

export async function signIn(request: SessionRequest): Promise<void> {
  const { sessionToken, user } = await ponte.signIn(request);
  if (lastUser.get() !== user.id) forgetEverything();
  notice.set(null);
  session.set(sessionToken);
  lastUser.set(user.id);
}

export function signOut(): void {
  forgetEverything();
  ponte.signOut();
  notice.set(null);
}
