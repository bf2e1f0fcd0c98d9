-- The oldest version that may serve on this schema. Migrations add rows, and the highest version counts.

create table schema_floor (
  version text not null,
  constraint schema_floor_pkey primary key (version),
  constraint schema_floor_version_check check (version ~ '^[0-9]+[.][0-9]+[.][0-9]+$')
);

insert into schema_floor (version) values ('0.2.0');
