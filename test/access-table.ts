// Who may do what: one line for each route, written by hand from the specification and what was decided beside it.
// The test beside it asks the service as an outsider would. Never copy a line from what the code does: read what the rule says.
//
// A line lists who is let in. For an address that names a record it says so for each record: `all` are let in to every one of
// them, the others to the one they stand beside. `denis=404` is somebody from whom its very existence is kept.
// Everybody else gets 403. `query` and `body` are sent along; `:id` in them is the record, as in the address.

export interface Line {
  let: string | ({ all?: string } & Record<string, string>)
  query?: string
  body?: string
  /** Everybody is sent to the sign-in page, signed in or not. */
  toSignIn?: boolean
  /** Who would be told that a record that nobody has is unknown; by default whoever is let in to any of these. */
  holders?: string
}

const open: Line = { let: 'nobody everybody' }
const signedIn: Line = { let: 'everybody' }

/** The list, the pages and the deletion that every module has, by who may view, add, edit and delete. */
function moduleLines(
  list: string,
  card: string,
  who: { view: Line['let']; list: string; add: string; edit: Line['let']; delete: Line['let'] },
): Record<string, Line> {
  return {
    [`GET /${list}`]: { let: who.list },
    [`GET /${list}/export`]: { let: who.list, query: 'format=csv' },
    [`GET /${card}/add`]: { let: who.add },
    [`POST /${card}/add`]: { let: who.add },
    [`GET /${card}/edit/:id`]: { let: who.view },
    [`POST /${card}/edit/:id`]: { let: who.edit },
    [`GET /${list}/delete`]: { let: who.delete, query: 'id=:id' },
    [`POST /${list}/delete`]: { let: who.delete, body: 'id=:id' },
  }
}

/** Of many, oneself is skipped rather than refused. */
const invitations = (list: string, who: Line['let'], inviters: string, many = who): Record<string, Line> => ({
  [`POST /${list}/edit/:id/invitation`]: { let: who },
  [`POST /${list}/edit/:id/invitation/revoke`]: { let: who },
  [`GET /${list}/invite`]: { let: many, query: 'id=:id' },
  [`POST /${list}/invite`]: { let: many, body: 'id=:id' },
  [`GET /${list}/invite/links`]: { let: inviters },
})

const rights = (list: string, who: Line['let']): Record<string, Line> => ({
  [`POST /${list}/edit/:id/rights`]: { let: who },
  [`POST /${list}/edit/:id/rights/:key`]: { let: who },
})

const dealers = 'denis daria vera roman'
const administrators = 'root editor viewer petra admin clerk'
// Administrators have the four rights of news and the four of orders from the start; the viewer was left the view only.
const newsEditors = 'root editor petra admin clerk'
const orderEditors = 'root editor petra admin clerk'
const productEditors = 'root editor petra admin clerk'
const productViewers = `${administrators} maria mikhail plain`
const staff = `${administrators} maria mikhail plain pavel`
const dealerEditors = {
  all: 'root editor admin',
  denis: 'maria',
  daria: 'mikhail',
  vera: 'mikhail',
  roman: 'maria',
  ivan: 'maria',
}
const companyEditors = { all: 'root editor admin', alpha: 'maria', beta: 'mikhail', nobodys: '' }
const orderMakers = `${orderEditors} maria mikhail plain ${dealers}`
const mayDeleteSomething = `${administrators} maria mikhail ${dealers}`
const messageAuthors: Line = {
  let: { mariasMessage: 'maria', mariasNote: 'maria denis=404 daria=404 vera=404 roman=404' },
  holders: 'everybody',
  body: 'text=changed',
}
/** A sheet is imported by whoever may add or edit such records, and seen by whoever uploaded it. */
const importLines = (list: string, who: string): Record<string, Line> => ({
  [`GET /${list}/import`]: { let: who },
  [`POST /${list}/import`]: { let: who },
  [`GET /${list}/import/template`]: { let: who, query: 'format=csv' },
})
const importers = 'editor admin maria mikhail'
const draftOfDenis = orderMakers.replaceAll(/\w+/g, '$&=404').replace('denis=404', 'denis')
const ownImport: Line = { let: { rootsImport: `root ${`${importers} petra clerk`.replaceAll(/\w+/g, '$&=404')}` } }

/** The API, by the rules of the pages. Whoever adds and edits there does so here. */
const apiLines = (list: string, who: { list: string; view: Line; add?: string; edit?: Line }): Record<string, Line> => ({
  [`GET /api/v1/${list}`]: { let: who.list },
  [`GET /api/v1/${list}/:id`]: who.view,
  ...(who.add && { [`POST /api/v1/${list}`]: { let: who.add } }),
  ...(who.edit && { [`PATCH /api/v1/${list}/:id`]: who.edit }),
})

// The viewer was left what ends with view, and production sees no prices.
const priceViewers = `${orderEditors} maria mikhail plain ${dealers}`
/** A bank statement is looked through by whoever uploaded it. */
const ownStatement: Line = { let: { rootsStatement: `root ${'editor petra admin clerk'.replaceAll(/\w+/g, '$&=404')}` } }

/** Dealers read what their own company owes; Vera works at Beta, Roman at Alpha. */
const reconciled: Line = { let: { all: 'root editor admin', alpha: 'maria denis roman', beta: 'mikhail daria vera' } }

/** What dealers offer to their customers is theirs: of the orders of their company, and of their own drafts. */
const offerOfOrder: Line = { let: { order: 'denis roman' }, holders: dealers }
const offerOfDraft: Line = { let: { denisDraft: dealers.replaceAll(/\w+/g, '$&=404').replace('denis=404', 'denis') } }

const dealersAndMaria = 'maria denis roman'

const statusHolders = 'root editor viewer'

const impersonation: Line = {
  let: {
    denis: 'root editor admin maria mikhail',
    maria: 'root editor',
    pavel: 'root editor',
    clerk: 'root editor petra',
    editor: 'root petra',
    root: '',
    ivan: '',
  },
}

export const accessTable: Record<string, Line> = {
  'GET /assets/:version/:name': open,
  'GET /assets/hugerte/:version/*': open,
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /login': open,
  'POST /login': open,
  // Leads to the sign-in page, whoever asks.
  'GET /login/factor': { let: '', toSignIn: true },
  'POST /login/factor': { let: '', toSignIn: true },
  'POST /login/passkey/options': open,
  'POST /login/passkey': open,
  'POST /logout': { let: '', toSignIn: true },
  'GET /password/forgot': open,
  'POST /password/forgot': open,
  'GET /invitation/:token': open,
  'POST /invitation/:token': open,
  'POST /invitation/:token/passkey/options': open,
  'POST /invitation/:token/passkey': open,
  'GET /password/reset/:token': open,
  'POST /password/reset/:token': open,

  'GET /': signedIn,
  'GET /find': signedIn,
  'GET /shortcuts': signedIn,
  'POST /views': { let: 'everybody', body: 'name=New&address=/orders?status=1' },
  'POST /views/:id/delete': { let: { denisView: 'denis root' }, holders: 'everybody' },
  'POST /preferences': signedIn,
  'GET /resume/:form': signedIn,
  'GET /profile': signedIn,
  'POST /profile': signedIn,
  'POST /profile/sessions/end': signedIn,
  'POST /profile/factor': signedIn,
  'POST /profile/factor/codes': signedIn,
  'POST /profile/factor/remove': signedIn,
  'POST /profile/passkeys/options': signedIn,
  'POST /profile/passkeys': signedIn,
  'POST /profile/passkeys/:id/delete': { let: { denisPasskey: 'denis' }, holders: 'everybody' },
  'POST /profile/tokens': signedIn,
  'POST /profile/tokens/:id/revoke': { let: { denisToken: 'denis' }, holders: 'everybody' },
  'GET /confirm-identity': signedIn,
  'POST /confirm-identity/passkey/options': signedIn,
  'POST /confirm-identity/passkey': signedIn,
  'POST /confirm-identity': signedIn,
  'GET /notifications': signedIn,
  'GET /notifications/export': { ...signedIn, query: 'format=csv' },
  'GET /notifications/latest': signedIn,
  'GET /notifications/unread': signedIn,
  'GET /notifications/stream': signedIn,
  'POST /notifications/read': signedIn,
  'GET /notifications/:id/file': { let: { denisNotified: 'denis' }, holders: 'everybody' },
  'POST /notifications/:id/read': { let: { denisNotified: 'denis' }, holders: 'everybody' },
  'POST /impersonate/leave': signedIn,
  'GET /avatars/:key/:size': signedIn,
  'GET /company/warnings': signedIn,
  // A company's files are kept from dealers, whatever company they work for.
  'GET /files/:key/preview': { let: { alphasFile: 'root editor viewer admin maria' }, holders: 'everybody' },
  'GET /files/:key': { let: { alphasFile: 'root editor viewer admin maria' }, holders: 'everybody' },

  ...moduleLines('news', 'news', {
    list: 'everybody',
    view: { all: `${administrators} maria mikhail plain pavel`, published: dealers, draft: 'denis=404 daria=404 vera=404 roman=404' },
    add: newsEditors,
    edit: { all: newsEditors, published: '', draft: '' },
    delete: { all: newsEditors, published: '', draft: '' },
  }),
  'GET /news/export': { let: newsEditors, query: 'format=csv' },
  'POST /news/:id/published': { let: { all: newsEditors, published: '', draft: '' } },
  'POST /news/images': { let: newsEditors },
  'GET /news/images/:key/:size': signedIn,

  ...moduleLines('dealers', 'dealers', {
    list: 'root editor viewer admin maria mikhail',
    view: {
      all: 'root editor viewer admin',
      denis: 'maria',
      daria: 'mikhail',
      vera: 'mikhail',
      roman: 'maria',
      ivan: 'maria',
    },
    add: 'root editor admin maria mikhail',
    edit: dealerEditors,
    delete: dealerEditors,
  }),
  ...invitations('dealers', dealerEditors, 'root editor admin maria mikhail'),
  'POST /dealers/:id/active': { let: dealerEditors },
  'GET /companies/change': { let: companyEditors, query: 'id=:id' },
  'POST /companies/change': { let: companyEditors, body: 'id=:id&manager_id=0' },
  'GET /dealers/change': { let: dealerEditors, query: 'id=:id' },
  'POST /dealers/change': { let: dealerEditors, body: 'id=:id&account=1' },
  // Whoever registers dealers or edits any: the company is theirs to choose.
  'GET /dealers/companies': { let: 'root editor admin maria mikhail' },

  ...moduleLines('companies', 'company', {
    list: 'root editor viewer admin maria mikhail',
    view: { all: 'root editor viewer admin', alpha: 'maria', beta: 'mikhail', nobodys: '' },
    add: 'root editor admin maria mikhail',
    edit: companyEditors,
    delete: companyEditors,
  }),
  'GET /companies/:id': { let: { all: 'root editor viewer admin', alpha: 'maria', beta: 'mikhail', nobodys: '' } },
  // Dealers have the policy from the start as administrators and managers have, but see no card of a company.
  'POST /company/:id/offer': { let: companyEditors },
  'GET /company/:id/offer/markups/row': { let: companyEditors },
  'POST /profile/offer': { let: dealers },
  'GET /profile/offer/markups/row': { let: dealers },
  'GET /company/:id/ledger': { let: 'root editor admin' },
  'POST /company/:id/ledger': { let: 'root editor admin', body: 'kind=correction&amount=1' },
  'GET /ledger': { let: `root editor admin maria mikhail ${dealers}` },
  'GET /ledger/export': { let: `root editor admin maria mikhail ${dealers}`, query: 'format=csv' },
  'GET /ledger/balances': { let: 'root editor admin maria mikhail' },
  'GET /ledger/balances/export': { let: 'root editor admin maria mikhail', query: 'format=csv' },
  'GET /company/:id/reconciliation': reconciled,
  'GET /company/:id/reconciliation/export': { ...reconciled, query: 'format=csv' },
  ...importLines('dealers', `root ${importers}`),
  ...importLines('companies', `root ${importers}`),
  ...importLines('managers', 'root editor'),
  ...importLines('productions', 'root editor petra'),
  ...importLines('stocks', 'root editor'),
  ...importLines('manufactures', 'root editor'),
  ...importLines('categories', 'root editor'),
  'GET /imports/:id': ownImport,
  'POST /imports/:id': ownImport,
  'POST /imports/:id/save': ownImport,
  'POST /imports/:id/undo': ownImport,
  'GET /imports/:id/report': ownImport,
  'GET /imports/:id/refused': ownImport,
  'GET /company/managers': { let: 'root editor admin maria mikhail' },
  'GET /company/products': { let: 'root editor admin maria mikhail' },
  'GET /company/edit/:id/contract_prices/row': { let: companyEditors },
  'GET /company/edit/:id/discounts/row': { let: companyEditors },
  'GET /company/edit/:id/files/row': { let: companyEditors },

  ...moduleLines('managers', 'managers', {
    list: 'root editor viewer',
    view: { all: 'root editor viewer', maria: '', plain: '' },
    add: 'root editor',
    edit: { all: 'root editor', maria: '', plain: '' },
    delete: { all: 'root editor', maria: '', plain: '' },
  }),
  ...invitations('managers', { all: 'root editor', maria: '', plain: '' }, 'root editor'),
  'POST /managers/:id/active': { let: { all: 'root editor', maria: '', plain: '' } },
  'GET /managers/:id/hand-over': { let: 'root editor' },
  'POST /managers/:id/hand-over': { let: 'root editor' },
  'POST /managers/:id/hand-over/undo': { let: 'root editor', body: 'hand_over=1' },
  ...rights('managers', { all: 'root editor', maria: '', plain: '' }),

  // As specified, the list's deletion asks for manager_can_delete: Petra, who holds the production policies only, may not.
  ...moduleLines('productions', 'productions', {
    list: 'root editor viewer petra',
    view: { all: 'root editor viewer petra', pavel: '' },
    add: 'root editor petra',
    edit: { all: 'root editor petra', pavel: '' },
    delete: { all: 'root editor', pavel: '' },
  }),
  ...invitations('productions', { all: 'root editor petra', pavel: '' }, 'root editor petra'),
  'POST /productions/:id/active': { let: { all: 'root editor petra', pavel: '' } },
  ...rights('productions', { all: 'root editor petra', pavel: '' }),

  // As specified, saving the card asks for manager_can_edit: Petra, who holds the administrator policies, may not.
  // Only a superadministrator touches one; nobody deletes or deactivates themselves.
  ...moduleLines('admins', 'admins', {
    list: 'root editor viewer petra',
    view: { all: 'root editor viewer petra', clerk: '', editor: '', root: '' },
    add: 'root editor petra',
    edit: { all: 'root', clerk: 'editor', editor: 'editor', root: '' },
    delete: { clerk: 'root editor petra', editor: 'root petra', root: '' },
  }),
  ...invitations('admins', { clerk: 'root editor', editor: 'root', root: '' }, 'root editor', {
    clerk: 'root editor',
    editor: 'root editor',
    root: 'root',
  }),
  'POST /admins/:id/active': { let: { clerk: 'root editor petra', editor: 'root petra', root: '' } },
  ...rights('admins', { all: 'root', clerk: 'editor petra', editor: 'petra', petra: 'editor', root: '' }),

  // A dealer has no policies to ask for.
  'GET /rights/requests': { let: `${administrators} maria mikhail plain pavel` },
  'POST /rights/requests': { let: `${administrators} maria mikhail plain pavel` },
  // Plain asks for company_can_view: who gives managers rights, and holds it.
  'POST /rights/requests/:id': { let: { plainsRequest: 'root editor' }, holders: 'root editor petra' },

  'GET /impersonate/:id': impersonation,
  'POST /impersonate/:id': impersonation,

  ...moduleLines('stocks', 'stocks', {
    list: 'root editor viewer pavel',
    view: { all: 'root editor viewer', north: 'pavel', south: '' },
    add: 'root editor',
    edit: { all: 'root editor', north: '', south: '' },
    delete: { all: 'root editor', north: '', south: '' },
  }),
  ...moduleLines('manufactures', 'manufactures', {
    list: 'root editor viewer',
    view: { all: 'root editor viewer', site: '' },
    add: 'root editor',
    edit: { all: 'root editor', site: '' },
    delete: { all: 'root editor', site: '' },
  }),
  ...moduleLines('categories', 'categories', {
    list: 'root editor viewer',
    view: { all: 'root editor viewer', category: '' },
    add: 'root editor',
    edit: { all: 'root editor', category: '' },
    delete: { all: 'root editor', category: '' },
  }),

  // Petra has what administrators have from the start.
  ...moduleLines('products', 'products', {
    list: `${productViewers} ${dealers}`,
    view: { all: `${productViewers} ${dealers}`, product: '' },
    add: productEditors,
    edit: { all: productEditors, product: '' },
    delete: { all: productEditors, product: '' },
  }),
  'POST /products/:id/active': { let: { all: productEditors, product: '' } },
  'GET /products/edit/:id/prices/row': { let: { all: productEditors, product: '' } },
  'GET /products/add/prices/row': { let: productEditors },
  'GET /products/images/:key': { let: `${productViewers} ${dealers}` },
  'GET /products/prices': { let: { all: productEditors, product: '' }, query: 'id=:id' },
  'POST /products/prices': { let: { all: productEditors, product: '' }, body: 'id=:id&percent=1&from=2027-01-01' },
  ...importLines('products', productEditors),

  // One policy, status_can_view, governs viewing, creating, editing and deleting.
  ...moduleLines('statuses', 'status', {
    list: statusHolders,
    view: { all: statusHolders, first: '' },
    add: statusHolders,
    edit: { all: statusHolders, first: '' },
    delete: { all: statusHolders, first: '' },
  }),
  'GET /statuses/order': { let: statusHolders },
  'POST /statuses/order': { let: statusHolders },
  'POST /statuses/made': { let: statusHolders },
  'POST /status/edit/:id/policies': { let: { all: statusHolders, first: '' } },
  'POST /status/edit/:id/policies/:policy_key': { let: { all: statusHolders, first: '' } },
  'GET /status/edit/:id/transitions/row': { let: { all: statusHolders, first: '' } },

  // Denis ordered for Alpha, which is Maria's; the order is new. Vera is Maria's dealer, but of Beta.
  'GET /orders/export': { ...signedIn, query: 'format=csv' },
  'GET /orders': signedIn,
  'GET /orders/board': signedIn,
  'GET /orders/transitions': { let: { all: administrators, order: 'maria denis roman' }, query: 'id=:id', holders: 'everybody' },
  'GET /orders/print': { let: { all: administrators, order: 'maria' }, query: 'id=:id', holders: staff },
  'POST /orders/print': { let: { all: administrators, order: 'maria' }, body: 'id=:id&what=work_sheets', holders: staff },
  'GET /orders/remind': { let: { all: administrators, order: 'maria' }, query: 'id=:id', holders: `${administrators} maria mikhail plain` },
  'POST /orders/remind': { let: { all: administrators, order: 'maria' }, body: 'id=:id', holders: `${administrators} maria mikhail plain` },
  'GET /orders/work-sheets': { let: { all: administrators, order: 'maria denis roman' }, query: 'id=:id', holders: 'everybody' },
  'POST /orders/transitions': {
    let: { all: administrators, order: 'maria denis roman' },
    body: 'id=:id&transition_id=1',
    holders: 'everybody',
  },
  'GET /orders/add': { let: orderMakers },
  'POST /orders/add': { let: orderMakers },
  // Drafts are their person's own: from everybody else their existence is kept.
  'GET /orders/drafts': { let: orderMakers },
  'POST /orders/drafts': { let: orderMakers },
  'GET /orders/drafts/products': { let: orderMakers, query: 'id=1' },
  'POST /orders/drafts/products': { let: orderMakers, body: 'id=1' },
  'POST /orders/drafts/:id/delete': { let: { denisDraft: draftOfDenis } },
  'POST /orders/drafts/:id/restore': { let: { denisDraft: draftOfDenis } },
  'GET /orders/edit/:id': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'POST /orders/edit/:id': { let: { all: orderEditors, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/edit/:id/items/row': { let: { all: orderEditors, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/delete': { let: { all: orderEditors, order: 'denis roman' }, query: 'id=:id', holders: `${orderEditors} ${dealers}` },
  'POST /orders/delete': { let: { all: orderEditors, order: 'denis roman' }, body: 'id=:id', holders: `${orderEditors} ${dealers}` },
  'GET /orders/add/items/row': { let: orderMakers },
  'POST /orders/edit/:id/transition': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  // Only an order that lost its status is given another one so, and the order of the cast has one.
  'POST /orders/edit/:id/status': { let: { all: '' }, holders: administrators },
  'GET /orders/try': { let: statusHolders },
  // Whoever may read an order discusses it; only the author changes a message, and an internal one does not exist for dealers.
  'GET /orders/:id': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/:id/timeline': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/:id/steps': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/:id/people': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/:id/customer-offer': offerOfOrder,
  'GET /orders/drafts/:id/customer-offer': offerOfDraft,
  'GET /products/:id/customer-offer': { let: { product: dealers } },
  'GET /orders/:id/sheet': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/:id/files/:key': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'GET /orders/:id/work-sheet': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  ...Object.fromEntries(
    Object.entries({
      lines: dealersAndMaria,
      customer: dealersAndMaria,
      delivery: dealersAndMaria,
      production: 'maria',
      documents: '',
      dealer: '',
    }).flatMap(([section, order]) =>
      ['GET', 'POST'].map((method) => [
        `${method} /orders/:id/edit/${section}`,
        { let: { all: orderEditors, ...(order && { order }) }, holders: section === 'lines' ? priceViewers : 'everybody' },
      ]),
    ),
  ),
  'GET /orders/:id/dates': { let: { all: orderEditors, order: 'maria' }, holders: 'everybody' },
  'POST /orders/:id/dates': { let: { all: orderEditors, order: 'maria' }, holders: 'everybody' },
  // Dealers and managers report what was paid for an order of theirs; only staff with the policy confirm it, and nobody without prices.
  'GET /orders/:id/payments': { let: { all: orderEditors, order: 'maria denis roman' }, holders: priceViewers },
  'POST /orders/:id/payments': { let: { all: orderEditors, order: 'maria denis roman' }, holders: priceViewers },
  // Who sees prices issues what says them; the cast's own order has documents of its company.
  'POST /orders/:id/issue': { let: { all: orderEditors, order: 'maria' }, holders: `${orderEditors} maria mikhail plain` },
  'GET /documents': { let: 'everybody' },
  'GET /documents/export': { let: 'everybody', query: 'format=csv' },
  'GET /documents/:id/file': { let: { all: orderEditors }, holders: 'everybody' },
  'GET /payments': { let: `${orderEditors} maria mikhail plain ${dealers}` },
  'GET /payments/export': { let: `${orderEditors} maria mikhail plain ${dealers}`, query: 'format=csv' },
  'GET /payments/:id': {
    let: { denisPayment: `${orderEditors} maria denis roman` },
    holders: `${orderEditors} maria mikhail plain ${dealers}`,
  },
  'GET /payments/:id/steps': {
    let: { denisPayment: `${orderEditors} maria denis roman` },
    holders: `${orderEditors} maria mikhail plain ${dealers}`,
  },
  'GET /payments/add': { let: `${orderEditors} ${dealers}` },
  'POST /payments/add': { let: `${orderEditors} ${dealers}` },
  'GET /payments/companies': { let: orderEditors },
  ...Object.fromEntries(
    ['allocations', 'reverse', 'correct'].flatMap((what) =>
      ['GET', 'POST'].map((method) => [`${method} /payments/:id/${what}`, { let: { denisPayment: orderEditors } }]),
    ),
  ),
  'GET /company/:id/refund': { let: orderEditors },
  'POST /company/:id/refund': { let: orderEditors },
  'GET /orders/:id/pay-from-balance': { let: { all: orderEditors, order: 'denis roman' }, holders: `${orderEditors} ${dealers}` },
  'POST /orders/:id/pay-from-balance': { let: { all: orderEditors, order: 'denis roman' }, holders: `${orderEditors} ${dealers}` },
  'GET /payments/import': { let: orderEditors },
  'POST /payments/import': { let: orderEditors },
  'GET /payments/import/:id': ownStatement,
  'POST /payments/import/:id': ownStatement,
  'GET /payments/confirm': { let: { denisPayment: orderEditors }, query: 'id=:id' },
  'POST /payments/confirm': { let: { denisPayment: orderEditors }, body: 'id=:id' },
  'POST /payments/:id/confirm': { let: { denisPayment: orderEditors } },
  'GET /payments/:id/reject': { let: { denisPayment: orderEditors } },
  'POST /payments/:id/reject': { let: { denisPayment: orderEditors } },
  'POST /orders/:id/messages': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'POST /orders/:id/transition': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  // Whoever sees the order may ask; only whoever made the step may undo it.
  'POST /orders/:id/undo': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'POST /orders/:id/documents': { let: { all: orderEditors }, holders: 'everybody' },
  'POST /orders/:order/messages/:id': messageAuthors,
  'POST /orders/:order/messages/:id/withdraw': messageAuthors,
  // Dealers order for themselves: they have no dealer to choose.
  'GET /orders/discounts': { let: `${orderEditors} maria mikhail plain` },
  'GET /orders/products': { let: `${orderMakers}` },
  'POST /orders/add/price': { let: `${orderMakers}` },
  'GET /orders/dealers': { let: `${orderEditors} maria mikhail plain` },

  // Administrators who may edit somebody end their sessions; only superadministrators take a second factor off.
  'POST /admins/edit/:id/sessions/end': { let: { all: 'root', clerk: 'editor', editor: 'editor', root: '' } },
  // A manager names their own deputies.
  'POST /managers/edit/:id/deputies': {
    let: { all: 'root editor', maria: 'maria', plain: 'plain' },
    holders: 'root editor maria mikhail plain',
  },
  'POST /managers/edit/:id/deputies/:deputy/end': {
    let: { all: 'root editor', maria: 'maria', plain: 'plain' },
    holders: 'root editor maria mikhail plain',
  },
  'POST /managers/edit/:id/sessions/end': { let: { all: 'root editor', maria: '', plain: '' } },
  'POST /productions/edit/:id/sessions/end': { let: { all: 'root editor petra', pavel: '' } },
  'POST /dealers/edit/:id/sessions/end': { let: { all: 'root editor admin', denis: '', vera: '' } },
  'POST /admins/edit/:id/tokens/revoke': { let: { all: 'root', clerk: 'editor', editor: 'editor', root: '' } },
  'POST /managers/edit/:id/tokens/revoke': { let: { all: 'root editor', maria: '', plain: '' } },
  'POST /productions/edit/:id/tokens/revoke': { let: { all: 'root editor petra', pavel: '' } },
  'POST /dealers/edit/:id/tokens/revoke': { let: { all: 'root editor admin', denis: '', vera: '' } },
  'POST /admins/edit/:id/factor/reset': { let: { all: 'root', clerk: '' } },
  'POST /managers/edit/:id/factor/reset': { let: { all: 'root', maria: '' } },
  'POST /productions/edit/:id/factor/reset': { let: { all: 'root', pavel: '' } },
  'POST /dealers/edit/:id/factor/reset': { let: { all: 'root', denis: '' } },
  ...apiLines('orders', {
    list: 'everybody',
    view: { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
    add: orderMakers,
    edit: { let: { all: orderEditors, order: 'maria denis roman' }, holders: 'everybody' },
  }),
  'POST /api/v1/orders/:id/transitions': {
    let: { all: administrators, order: 'maria denis roman' },
    holders: 'everybody',
  },
  'GET /api/v1/orders/:id/payments': { let: { all: orderEditors, order: 'maria denis roman' }, holders: priceViewers },
  'POST /api/v1/orders/:id/payments': { let: { all: orderEditors, order: 'maria denis roman' }, holders: priceViewers },
  'GET /api/v1/orders/:id/documents': { let: { all: administrators, order: 'maria denis roman' }, holders: 'everybody' },
  'POST /api/v1/orders/:id/documents': { let: { all: orderEditors, order: 'maria' }, holders: `${orderEditors} maria mikhail plain` },
  'GET /api/v1/documents': { let: 'everybody' },
  'GET /api/v1/documents/:id': { let: { all: orderEditors }, holders: 'everybody' },
  'GET /api/v1/payments': { let: priceViewers },
  'POST /api/v1/payments': { let: `${orderEditors} ${dealers}` },
  'POST /api/v1/payments/:id/allocations': { let: { denisPayment: orderEditors } },
  'POST /api/v1/payments/:id/reverse': { let: { denisPayment: orderEditors } },
  'PATCH /api/v1/payments/:id': { let: { denisPayment: orderEditors } },
  'GET /api/v1/payments/:id': { let: { denisPayment: `${orderEditors} maria denis roman` }, holders: priceViewers },
  ...apiLines('ledger', {
    list: `root editor admin maria mikhail ${dealers}`,
    view: { let: { all: 'root editor admin', alphasEntry: 'maria denis roman' }, holders: `root editor admin maria mikhail ${dealers}` },
  }),
  ...apiLines('companies', {
    list: 'root editor viewer admin maria mikhail',
    view: { let: { all: 'root editor viewer admin', alpha: 'maria', beta: 'mikhail', nobodys: '' } },
    add: 'root editor admin maria mikhail',
    edit: { let: companyEditors },
  }),
  ...apiLines('dealers', {
    list: 'root editor viewer admin maria mikhail',
    view: { let: { all: 'root editor viewer admin', denis: 'maria', daria: 'mikhail', vera: 'mikhail', roman: 'maria' } },
    add: 'root editor admin maria mikhail',
    edit: { let: dealerEditors },
  }),
  ...apiLines('products', {
    list: `${productViewers} ${dealers}`,
    view: { let: { all: `${productViewers} ${dealers}`, product: '' } },
    add: productEditors,
    edit: { let: { all: productEditors, product: '' } },
  }),
  ...apiLines('stocks', {
    list: 'root editor viewer pavel',
    view: { let: { all: 'root editor viewer', north: 'pavel', south: '' } },
    add: 'root editor',
    edit: { let: { all: 'root editor', north: '', south: '' } },
  }),
  ...apiLines('manufactures', {
    list: 'root editor viewer',
    view: { let: { all: 'root editor viewer', site: '' } },
    add: 'root editor',
    edit: { let: { all: 'root editor', site: '' } },
  }),
  ...apiLines('categories', {
    list: 'root editor viewer',
    view: { let: { all: 'root editor viewer', category: '' } },
    add: 'root editor',
    edit: { let: { all: 'root editor', category: '' } },
  }),
  ...apiLines('news', {
    list: 'everybody',
    view: {
      let: { all: `${administrators} maria mikhail plain pavel`, published: dealers, draft: 'denis=404 daria=404 vera=404 roman=404' },
    },
    add: newsEditors,
    edit: { let: { all: newsEditors, published: '', draft: '' } },
  }),
  ...apiLines('statuses', { list: statusHolders, view: { let: { all: statusHolders, first: '' } } }),
  'GET /api/v1/openapi.json': { let: 'everybody' },
  'GET /api/v1/deletions': { let: 'everybody' },
  // Each of them may make steps of orders, add news, or change products.
  'POST /api/v1/files': { let: 'everybody' },
  'GET /api/v1/files/:key': { let: { alphasFile: 'root editor viewer admin maria' }, holders: 'everybody' },
  'POST /first-steps': { let: 'root' },
  'POST /permission-sets': { let: 'root' },
  'POST /permission-sets/:id/delete': { let: { permissionSet: 'root' } },
  'GET /settings': { let: 'root' },
  'GET /settings/closing': { let: orderEditors },
  'POST /settings': { let: orderEditors },
  'POST /webhooks': { let: 'root', body: 'url=https://example.com/&events=order.created' },
  'POST /webhooks/:id/test': { let: { webhook: 'root' } },
  'POST /webhooks/:id/delete': { let: { webhook: 'root' } },
  'POST /webhooks/deliveries/:id/resend': { let: { webhookDelivery: 'root' } },
  'GET /accent.css': open,
  'GET /offline': open,
  'GET /service-worker.js': open,
  'GET /logo/:theme': open,
  'GET /security-log': { let: 'root' },
  'GET /security-log/export': { let: 'root', query: 'format=csv' },
  'GET /record-views': { let: 'root' },
  'GET /record-views/export': { let: 'root', query: 'format=csv' },
  'GET /activity': { let: 'root editor viewer' },
  'GET /activity/export': { let: 'root editor viewer', query: 'format=csv' },
  // Restoring needs the right to delete. The viewer has the one for statuses, dealers the one for their new orders.
  'GET /bin': { let: mayDeleteSomething },
  'GET /bin/export': { let: mayDeleteSomething, query: 'format=csv' },
  'POST /bin/:id/restore': { let: { binnedCompany: 'root editor admin' }, holders: mayDeleteSomething },
  // Addresses are in it: administrators who see every order.
  'GET /jobs': signedIn,
  'GET /jobs/export': { ...signedIn, query: 'format=csv' },
  'GET /jobs/:id': { let: { denisJob: `denis ${administrators}` }, holders: 'everybody' },
  'POST /jobs/:id/stop': { let: { denisJob: `denis ${administrators}` }, holders: 'everybody' },
  'POST /jobs/:id/retry': { let: { denisJob: `denis ${administrators}` }, holders: 'everybody' },

  'GET /outbox': { let: administrators },
  'GET /outbox/export': { let: administrators, query: 'format=csv' },
  'POST /outbox/:id/retry': { let: { delivery: administrators } },
}
