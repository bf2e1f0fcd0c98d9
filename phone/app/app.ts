// Chooses the screen that is shown, by who is signed in and by the address.
import { html } from 'htm/preact';
import type { ComponentType, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { Loading } from './parts/note.ts';
import { Refusal } from './parts/refusal.ts';
import { Screen } from './parts/screen.ts';
import { Tabs } from './parts/tabs.ts';
import { AccountScreen } from './screens/account.ts';
import { AddMoney } from './screens/add-money.ts';
import { BankDetailsScreen } from './screens/bank-details.ts';
import { CloseAccount } from './screens/close-account.ts';
import { Closed, closedUntil } from './screens/closed.ts';
import { Contest } from './screens/contest.ts';
import { CurrencyScreen } from './screens/currency.ts';
import { DataRequestScreen } from './screens/data-request.ts';
import { Find } from './screens/find.ts';
import { History } from './screens/history.ts';
import { Home } from './screens/home.ts';
import { PayAmount } from './screens/pay-amount.ts';
import { PayConfirm } from './screens/pay-confirm.ts';
import { PayRecipient } from './screens/pay-recipient.ts';
import { PaySending } from './screens/pay-sending.ts';
import { Payment } from './screens/payment.ts';
import { ReceiptScreen } from './screens/receipt.ts';
import { SignIn } from './screens/sign-in.ts';
import { TransactionScreen } from './screens/transaction.ts';
import { Verify } from './screens/verify.ts';
import { Withdraw } from './screens/withdraw.ts';
import { WithdrawSending } from './screens/withdraw-sending.ts';
import { confirmed, withdrawal } from './state/intents.ts';
import { forgetMe, meStore, refreshMe } from './state/me.ts';
import { replaceWith, useRoute } from './state/route.ts';
import { session } from './state/session.ts';
import { t } from './texts/t.ts';

const screens: Record<string, ComponentType<{ id: string }>> = {
  '': Home,
  'add-money': AddMoney,
  pay: PayRecipient,
  'pay/amount': PayAmount,
  'pay/confirm': PayConfirm,
  'pay/sending': PaySending,
  payments: Payment,
  receipts: ReceiptScreen,
  contest: Contest,
  withdraw: Withdraw,
  'withdraw/sending': WithdrawSending,
  'bank-details': BankDetailsScreen,
  find: Find,
  history: History,
  transactions: TransactionScreen,
  account: AccountScreen,
  'account/data': DataRequestScreen,
  'account/close': CloseAccount,
  currency: CurrencyScreen,
  verify: Verify,
};

/** These screens need only the payment itself, and a person may be waiting. */
const withoutMe = new Set(['payments', 'receipts', 'pay/sending', 'withdraw/sending']);

export function App(): VNode {
  const token = session.use();
  const closed = closedUntil.use();
  if (closed !== null) return html`<${Closed} until=${closed} />`;
  if (token === null) return html`<${SignIn} />`;
  return html`<${SignedIn} key=${token} />`;
}

function SignedIn(): VNode {
  const route = useRoute();
  const { me, error } = meStore.use();
  const path = route.join('/');
  const [name, id] = Object.hasOwn(screens, path) ? [path, ''] : [route[0] ?? '', route[1] ?? ''];
  useEffect(() => {
    takeUp('withdraw');
    takeUp('pay');
    void refreshMe();
    return forgetMe;
  }, []);
  useEffect(() => takeUp(path), [path]);
  if (me === null && !withoutMe.has(name)) return html`<${Opening} error=${error} />`;
  if (me !== null && me.user.homeCurrency === null) return html`<${CurrencyScreen} />`;
  const Shown = Object.hasOwn(screens, name) ? (screens[name] as ComponentType<{ id: string }>) : Home;
  return html`<${Shown} key=${path} id=${id} /><${Tabs} current=${name} />`;
}

/**
 * Before anything new of its kind begins, shows what was confirmed and has no answer yet.
 * @param path where the person is going.
 */
function takeUp(path: string): void {
  if (path === 'pay' && confirmed.get() !== null) replaceWith('/pay/sending');
  if (path === 'withdraw' && withdrawal.get() !== null) replaceWith('/withdraw/sending');
}

const Opening = ({ error }: { error: unknown }): VNode => html`
  <${Screen} title="Ponte">
    ${error === null && html`<${Loading} what=${t('Opening your wallet…')} />`}
    <${Refusal} error=${error} onAgain=${() => void refreshMe()} />
  <//>`;
