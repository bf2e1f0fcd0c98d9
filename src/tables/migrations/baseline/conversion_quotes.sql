-- A new quote for the second conversion, the reverse one or a return. It is committed before the transfer is sent. While a quote is
-- valid, its transfer may still be in flight, so a look-up that finds nothing proves nothing.

create type requoted_leg as enum ('leg2', 'reverse', 'return');

create table conversion_quotes (
  provider_quote_id uuid not null,
  user_id uuid not null,
  payment_id uuid not null,
  leg requoted_leg not null,
  created_at timestamptz(3) not null,
  life_ms bigint not null,
  is_consumed boolean default false not null,
  constraint conversion_quotes_pkey primary key (provider_quote_id, user_id)
);

create index conversion_quotes_payment on conversion_quotes (payment_id, leg);
