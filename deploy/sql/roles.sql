-- The roles whose rights `npm run db:migrate` grants. Run it once, as an administrator of the server, before the first migration.
-- Name them in DATABASE_SERVICE_ROLE, DATABASE_ERASURE_ROLE, DATABASE_OPERATORS_ROLE and DATABASE_SUPPORT_ROLE.
create role ponte_service;
create role ponte_erasure;
create role ponte_operators;
create role ponte_support;

-- A login is a member of one of them, so that its password can be replaced and a person can leave. In psql, set each password with
-- \password, which keeps it out of the log. Every operator and every person of support has a login of their own:
--   create role ponte_service_a login in role ponte_service;
--   create role ponte_erasure_a login in role ponte_erasure;
--   create role ada login in role ponte_operators;
--   create role carla login in role ponte_support;
