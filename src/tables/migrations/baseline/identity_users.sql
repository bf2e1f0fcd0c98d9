-- Maps a subject of an identity provider to our user. Signing in starts here, before the user is known. The subject is unique
-- across all users, so the row is found by the subject and does not reference `users`.

create table identity_users (
  auth_provider auth_provider not null,
  auth_subject text not null,
  user_id uuid not null,
  constraint identity_users_pkey primary key (auth_provider, auth_subject)
);

create index identity_users_user_id_index on identity_users (user_id);
