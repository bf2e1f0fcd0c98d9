// The bank account that receives withdrawals, masked, and the bank's check of its name.
import type { BankDetails } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { t } from '../texts/t.ts';
import { Facts } from './facts.ts';

const CHECKS: Record<string, string> = {
  match: t('Name and account match'),
  close_match: t('The name is spelt a little differently'),
  no_match: t('The name does not match: please check it'),
  not_possible: t('The bank cannot check this name'),
  unavailable: t('The bank could not be asked'),
};

/** Says what the bank's check of the name came to. */
export const saidOfCheck = (status: BankDetails['validationStatus']): string =>
  status === null ? t('Asking the bank…') : (CHECKS[status] ?? t('The bank has answered'));

export const Destination = ({ to }: { to: BankDetails }): VNode => html`
  <${Facts} facts=${[
    { name: t('To'), value: to.accountHolderName },
    ...(to.currency === 'GBP'
      ? [
          { name: t('Sort code'), value: to.sortCode, isCode: true },
          { name: t('Account number'), value: to.accountNumber, isCode: true },
        ]
      : [
          { name: 'IBAN', value: to.iban, isCode: true },
          { name: 'BIC', value: to.bic, isCode: true },
        ]),
    { name: t('Checked'), value: saidOfCheck(to.validationStatus) },
  ]} />`;
