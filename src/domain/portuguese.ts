// Every sentence that a user reads in Brazilian Portuguese, by its code, for review by a native speaker. The English sentences are in
// refusals.ts, failure-reasons.ts and payout-failures.ts. The style is that of a Brazilian bank: short sentences, no jargon, the polite imperative, and
// "você" only in verbs and possessives. The brand is written "Pix". A withdrawal to the user's own bank is a "retirada", because a
// "saque" is cash. A code without a sentence does not compile.
import type {
  ErrorCode,
  FailureCode,
  PayoutFailureCode,
  PayoutLimitOrNull,
} from '../../openapi/generated/openapi.ts';

/** The sentences for `error`. */
export const refusalsInPortuguese: Record<ErrorCode, string> = {
  invalid_request: 'Algumas das informações enviadas não são válidas.',
  malformed_json: 'Não foi possível ler a solicitação.',
  unauthorized: 'Entre na sua conta de novo.',
  invalid_id_token: 'Não foi possível entrar na conta. Tente de novo.',
  account_closed: 'Esta conta foi encerrada.',
  not_found: 'Não encontramos o que foi solicitado.',
  pix_key_unknown: 'Nenhuma conta tem esta chave Pix. Confira a chave.',
  method_not_allowed: 'Esta ação não é possível.',
  home_currency_already_set: 'A moeda da sua conta já foi escolhida e não pode ser alterada.',
  home_currency_required: 'Escolha primeiro a moeda da sua conta.',
  account_holds_money: 'Ainda há dinheiro nesta conta ou um pagamento em andamento.',
  account_not_active: 'Sua conta ainda não está pronta.',
  bank_details_required: 'Cadastre primeiro seus dados bancários.',
  bank_details_mismatch: 'O nome não corresponde ao titular da conta bancária. Confira seus dados bancários.',
  name_check_required: 'Confira primeiro o nome do titular da sua conta bancária.',
  not_retryable: 'Este pagamento não pode ser enviado de novo.',
  not_restartable: 'Não é possível refazer a verificação de identidade.',
  payment_not_completed: 'O destinatário não recebeu este pagamento, por isso não há comprovante.',
  payment_returned:
    'O banco do destinatário devolveu este pagamento, por isso o comprovante não está mais disponível.',
  not_contestable: 'Não é possível contestar este pagamento.',
  already_contested: 'Este pagamento já foi contestado.',
  // Clients match on this sentence as an identifier, in every language.
  quote_expired: 'quote_expired',
  quote_already_used: 'Esta cotação já foi usada em outro pagamento.',
  lookup_expired: 'A consulta do destinatário expirou. Confira o destinatário de novo.',
  code_expired: 'Este código Pix expirou. Peça um novo ao destinatário.',
  code_already_paid: 'Este código Pix já foi pago.',
  code_cancelled: 'O destinatário cancelou este código Pix.',
  code_outdated: 'O código Pix foi lido há muito tempo. Leia o código de novo.',
  code_expires_soon:
    'Este código Pix vai expirar antes que o pagamento chegue. Peça um novo ao destinatário.',
  code_already_used: 'Este código Pix já foi pago ou está sendo pago.',
  not_offered: 'Nosso parceiro bancário não oferece esta opção.',
  too_many_data_requests:
    'Várias das suas solicitações ainda estão em aberto. Aguarde até que uma delas seja respondida.',
  payload_too_large: 'A solicitação é grande demais.',
  unsupported_media_type: 'Não foi possível ler a solicitação.',
  unsupported_content_encoding: 'Não foi possível ler a solicitação.',
  insufficient_funds: 'Seu saldo é insuficiente para esta operação.',
  payout_not_allowed: 'Nosso parceiro bancário não permite este pagamento no momento. Nenhum valor foi pago.',
  amount_not_supported: 'Não é possível pagar este valor. Escolha outro valor.',
  idempotency_key_reused: 'Esta solicitação já foi feita com outras informações.',
  lookup_of_another_key: 'O destinatário consultado tem outra chave Pix. Confira o destinatário de novo.',
  code_not_pix: 'Este não é um código Pix.',
  code_not_supported: 'Não é possível pagar este tipo de código Pix aqui.',
  code_damaged: 'Este código Pix está incompleto ou danificado. Escaneie ou copie o código de novo.',
  code_of_another_key: 'O código Pix tem outra chave. Leia o código de novo.',
  code_of_another_amount: 'O código Pix tem um valor fixo, diferente deste. Leia o código de novo.',
  too_many_requests:
    'Muitas das suas solicitações ainda estão em andamento. Tente de novo em alguns instantes.',
  too_many_unfinished:
    'Vários dos seus pagamentos ainda estão em andamento. Nenhum valor foi pago. Tente de novo quando alguns deles forem concluídos.',
  lookup_budget_spent: 'O limite de consultas de destinatários foi atingido. Tente de novo mais tarde.',
  internal_error: 'Ocorreu um erro do nosso lado. Tente de novo.',
  provider_unavailable:
    'Nosso parceiro bancário não está respondendo no momento. Tente de novo em alguns instantes.',
  balance_unconfirmed:
    'Um pagamento anterior ainda está sendo confirmado. Tente de novo em alguns instantes.',
  lookup_unavailable: 'Não foi possível consultar o destinatário. Tente de novo em alguns instantes.',
  name_check_unavailable:
    'Não foi possível conferir o nome do titular. Você pode tentar de novo ou continuar sem a conferência.',
  code_unavailable: 'Não foi possível ler o código Pix. Tente de novo em alguns instantes.',
  identity_provider_unavailable:
    'Não é possível entrar na conta no momento. Tente de novo em alguns instantes.',
  unavailable: 'O serviço não está disponível no momento. Tente de novo em alguns instantes.',
  recovery_underway:
    'Estamos conferindo se todos os seus pagamentos estão registrados. Tente de novo em alguns minutos.',
  overloaded:
    'Há muitos pagamentos sendo feitos no momento. Nenhum valor foi pago. Tente de novo em alguns segundos.',
};

/** The sentences for `failureReason`. */
export const failureReasonsInPortuguese: Record<NonNullable<FailureCode>, string> = {
  insufficient_funds: 'Seu saldo não era suficiente.',
  quote_expired: 'A cotação expirou antes do início do pagamento. Nenhum valor foi debitado do seu saldo.',
  conversion_failed: 'A conversão de moeda não foi concluída, por isso o pagamento não foi feito.',
  account_not_active: 'Sua conta não estava ativa naquele momento.',
  amount_mismatch:
    'O valor convertido não foi o valor solicitado. Nossa equipe de atendimento está analisando o caso.',
  payout_failed:
    'Não foi possível pagar o destinatário. O dinheiro continua sendo seu, e é possível tentar de novo.',
  recipient_unknown:
    'A chave Pix do destinatário não leva a nenhuma conta, por isso não adianta pagar de novo. O dinheiro continua sendo seu, e nossa equipe de atendimento pode devolvê-lo ao seu saldo.',
  payout_returned:
    'O banco do destinatário devolveu o pagamento. Nossa equipe de atendimento está analisando o caso.',
  refunded: 'Não foi possível concluir o pagamento. O valor pago voltou para o seu saldo.',
  withdraw_failed: 'Não foi possível concluir a retirada. O dinheiro está no seu saldo.',
  withdraw_returned: 'Seu banco devolveu a retirada. O dinheiro voltou para o seu saldo.',
  under_review: 'Não foi possível concluir o pagamento. Nossa equipe de atendimento está analisando o caso.',
  provider_rejected:
    'Não foi possível iniciar o pagamento, e nenhum valor foi debitado do seu saldo. Tente de novo ou fale com nossa equipe de atendimento.',
};

/** The sentences for `failureReason` of a payment with a `payoutFailure`, by its code, or by its limit if one is named. */
export const payoutFailuresInPortuguese: Record<PayoutFailureCode | NonNullable<PayoutLimitOrNull>, string> =
  {
    recipient_unknown: failureReasonsInPortuguese.recipient_unknown,
    limit_reached:
      'Este pagamento está acima de um limite para pagamentos Pix. O dinheiro continua sendo seu, e é possível tentar de novo mais tarde.',
    per_payment:
      'O valor está acima do limite para um pagamento Pix, por isso não adianta pagar de novo. O dinheiro continua sendo seu, e nossa equipe de atendimento pode devolvê-lo ao seu saldo.',
    day: 'O limite diário para pagamentos Pix foi atingido. O dinheiro continua sendo seu, e é possível tentar de novo mais tarde.',
    night:
      'O valor está acima do limite noturno para pagamentos Pix. O dinheiro continua sendo seu, e é possível tentar de novo pela manhã.',
    account_blocked:
      'A conta do destinatário não pode receber dinheiro, por isso não adianta pagar de novo. O dinheiro continua sendo seu, e nossa equipe de atendimento pode devolvê-lo ao seu saldo.',
    name_mismatch:
      'O nome do destinatário não corresponde ao titular da conta, por isso não adianta pagar de novo. O dinheiro continua sendo seu, e nossa equipe de atendimento pode devolvê-lo ao seu saldo.',
    recipient_bank_unavailable:
      'Não foi possível contatar o banco do destinatário. O dinheiro continua sendo seu, e é possível tentar de novo mais tarde.',
    code_expired:
      'O código de pagamento expirou, por isso não adianta pagar de novo. O dinheiro continua sendo seu, e nossa equipe de atendimento pode devolvê-lo ao seu saldo.',
    other: failureReasonsInPortuguese.payout_failed,
  };
