// Operators find people by a hash through a function, with the rights of its owner. So a role may search and not read the hashes: with
// the search key, all tax numbers can be hashed in minutes and compared with hashes that were read.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261130060000 extends Migration {
  override name = 'Migration20261130060000';

  override up(): void {
    // A term has few hashes: one for each search key and form. More are not looked at, so that a call tries out few terms.
    this.addSql(`create function find_by_hash(what text, hashes bytea[], most int) returns table (kind text, id uuid)
      language plpgsql stable security definer set search_path = public, pg_temp as $$ begin
        hashes := hashes[1:20];
        if what = 'email' then
          return query select 'user', u.id from users u where u.email_hash = any(hashes)
            order by u.created_at desc limit most;
        elsif what = 'account' then
          return query select 'user', a.user_id from provider_accounts a where a.deposit_hash = any(hashes)
            order by a.created_at desc limit most;
        elsif what = 'pix-key' then
          return query select 'payment', p.id from pix_payments p where p.pix_key_hash = any(hashes)
            order by p.created_at desc limit most;
        end if;
      end $$;`);
    this.addSql('revoke execute on function find_by_hash from public;');
  }

  override down(): void {
    this.addSql('drop function find_by_hash;');
  }
}
