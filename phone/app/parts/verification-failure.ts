// Says why an identity check failed, and whether another attempt makes sense.
import type { KnownVerificationFailure, KycState } from '@ponte/client';
import { t } from '../texts/t.ts';

type Failure = { text: string; mayTryAgain: boolean };

const OTHER_FAILURE: Failure = {
  text: t('You can try again. If it fails once more, support can tell you more.'),
  mayTryAgain: true,
};
const failures: Record<KnownVerificationFailure, Failure> = {
  document_unreadable: {
    text: t('Your document could not be read. Try again with a sharper picture of it.'),
    mayTryAgain: true,
  },
  document_expired: {
    text: t('Your document has expired. Try again with one that is valid.'),
    mayTryAgain: true,
  },
  name_mismatch: {
    text: t('Your name is different on your document. Try again, and enter it as it stands there.'),
    mayTryAgain: true,
  },
  not_eligible: {
    text: t('Our banking partner cannot open an account for you. Support can tell you more.'),
    mayTryAgain: false,
  },
  other: OTHER_FAILURE,
};

/** Describes a failure. A reason that this version does not know, or that the provider does not give, is treated like another one. */
export const failureOf = ({ failureCode: code }: KycState): Failure =>
  code && Object.hasOwn(failures, code) ? failures[code as KnownVerificationFailure] : OTHER_FAILURE;
