import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'

const script = fileURLToPath(new URL('./admin.py', import.meta.url))

/** Django's admin over the dealers of this folder, where Debian's `python3-django` is installed. */
export async function startDjango(folder: string) {
  const copy = join(folder, 'django.sqlite')
  copyDealers(join(folder, 'cabinet.sqlite'), copy)
  const child = spawn('/usr/bin/python3', [script, copy], { stdio: ['ignore', 'pipe', 'ignore'] })
  process.once('exit', () => child.kill())
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit'), once(child, 'error')])
  if (typeof line !== 'string') return
  const [origin, cookie, newest] = line.split(' ') as [string, string, string]
  const dealers = `${origin}/admin/auth/dealer/`
  return { home: `${origin}/admin/`, list: dealers, form: `${dealers}${newest}/change/`, cookie, stop: () => child.kill() }
}

/** Without views and triggers, which the SQLite of an older Python cannot read. */
function copyDealers(from: string, to: string): void {
  const db = new Database(from)
  db.exec(`attach '${to}' as copy;
    create table copy.companies (id integer primary key, org);
    insert into copy.companies select id, org from companies;
    create table copy.users (id integer primary key, group_id, company_id, manager_id, lastname, name, middlename, email, phone, tg_id, active);
    insert into copy.users select id, group_id, company_id, manager_id, lastname, name, middlename, email, phone, tg_id, active from users;
    create index copy.users_group on users (group_id, id)`)
  db.close()
}
