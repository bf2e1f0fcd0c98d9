-- A type of effect that an operator has paused. Its effects stay queued and run after it is resumed.

create table effect_pauses (
  type varchar(40) not null,
  reason text not null,
  operator text not null,
  paused_at timestamptz(3) constraint effect_pauses_at_not_null not null,
  constraint effect_pauses_pkey primary key (type)
);
