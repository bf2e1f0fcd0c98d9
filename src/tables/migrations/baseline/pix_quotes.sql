-- A price for a PIX payment, locked for its user until it expires. The quote decides `flow`, which never changes.

create table pix_quotes (
  id uuid not null,
  user_id uuid not null,
  flow payment_flow not null,
  amount_brl_minor bigint not null,
  source_currency home_currency not null,
  source_amount_minor bigint not null,
  rate numeric(20,8) not null,
  service_spread_bps int not null,
  provider_quote_id uuid not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  provider_life_ms bigint default 60000 not null,
  usdc_quoted_minor bigint,
  constraint pix_quotes_pkey primary key (id, user_id),
  constraint pix_quotes_user_id_foreign foreign key (user_id) references users (id) on delete restrict,
  constraint pix_quotes_amount_brl_minor_check check (amount_brl_minor > 0),
  constraint pix_quotes_source_amount_minor_check check (source_amount_minor > 0)
);

create index pix_quotes_expires_at on pix_quotes (expires_at);
create index pix_quotes_user_id_index on pix_quotes (user_id);
