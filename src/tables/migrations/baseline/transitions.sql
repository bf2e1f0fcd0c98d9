-- The history: every transition of a lifecycle, with its cause. Append-only.

create function is_state_of(kind subject_kind, state text) returns boolean
  immutable strict parallel safe language plpgsql as $$ begin
    return case kind when 'kyc' then state in ('pending', 'completed', 'failed') when 'provider_account' then state in ('provisioning', 'active') when 'pix_payment' then state in ('quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'completed', 'payout_failed', 'refunding', 'refunded', 'manual_review', 'failed', 'conversion_failed') when 'withdraw' then state in ('settling', 'completed', 'failed') else false end;
  end $$;

create table transitions (
  subject_kind subject_kind not null,
  subject_id uuid not null,
  seq int not null,
  user_id uuid not null,
  from_state varchar(40),
  to_state varchar(40) not null,
  event varchar(60) not null,
  event_data jsonb not null,
  cause_kind cause_kind not null,
  cause_id text not null,
  occurred_at timestamptz(3) constraint transitions_at_not_null not null,
  constraint transitions_pkey primary key (subject_kind, subject_id, seq, user_id),
  constraint transitions_states_check
    check (is_state_of(subject_kind, from_state::text) and is_state_of(subject_kind, to_state::text))
);

create index transitions_request on transitions (cause_id) where cause_kind = 'request';
