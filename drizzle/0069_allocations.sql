CREATE TABLE `__payment_ids` AS SELECT ifnull(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'payments';--> statement-breakpoint
CREATE INDEX `ledger_entries_payment` ON `ledger_entries` (`payment_id`) WHERE payment_id is not null;--> statement-breakpoint
CREATE TABLE `allocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`payment_id` integer NOT NULL,
	`order_id` integer,
	`refund_id` integer,
	`amount` integer NOT NULL,
	`date` text NOT NULL,
	`automatic` integer DEFAULT false NOT NULL,
	`at` integer NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	FOREIGN KEY (`payment_id`) REFERENCES `payments`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `allocations_payment` ON `allocations` (`payment_id`);--> statement-breakpoint
CREATE INDEX `allocations_order` ON `allocations` (`order_id`,`date`) WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX `allocations_refund` ON `allocations` (`refund_id`) WHERE refund_id is not null;--> statement-breakpoint
CREATE INDEX `allocations_company` ON `allocations` (`company_id`,`date`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_payments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer,
	`direction` text DEFAULT 'incoming' NOT NULL,
	`order_id` integer,
	`state` text NOT NULL,
	`amount` integer NOT NULL,
	`date` text NOT NULL,
	`kind` text NOT NULL,
	`file` text,
	`note` text,
	`statement_line` text,
	`reason` text,
	`allocated` integer DEFAULT 0 NOT NULL,
	`corrects_id` integer,
	`reporter_id` integer,
	`reporter_name` text NOT NULL,
	`decider_id` integer,
	`decider_name` text,
	`decided_at` integer,
	`reversed_on` text,
	`reverser_id` integer,
	`reverser_name` text,
	`reversed_at` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_payments`("id", "company_id", "order_id", "state", "amount", "date", "kind", "file", "note", "statement_line", "reason", "reporter_id", "reporter_name", "decider_id", "decider_name", "decided_at", "version", "created_at", "updated_at")
	SELECT "id", coalesce(
		(SELECT "company_id" FROM `ledger_entries` WHERE "payment_id" = `payments`."id"),
		(SELECT "company_id" FROM `order_balances` WHERE "order_id" = `payments`."order_id"),
		(SELECT coalesce("owner_company_id", "company_id") FROM `orders` WHERE "id" = `payments`."order_id")), "order_id", "state", "amount", "date", "kind", "file", "note", "statement_line", "reason", "reporter_id", "reporter_name", "decider_id", "decider_name", "decided_at", "version", "created_at", "updated_at"
	FROM `payments`;--> statement-breakpoint
DROP TABLE `payments`;--> statement-breakpoint
ALTER TABLE `__new_payments` RENAME TO `payments`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `payments_order` ON `payments` (`order_id`,`state`);--> statement-breakpoint
CREATE INDEX `payments_company` ON `payments` (`company_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `payments_free` ON `payments` (`company_id`,`date`,`id`) WHERE state = 'confirmed' and direction = 'incoming' and allocated < amount;--> statement-breakpoint
CREATE INDEX `payments_state` ON `payments` (`state`,`id`);--> statement-breakpoint
CREATE INDEX `payments_date` ON `payments` (`date`,`id`);--> statement-breakpoint
CREATE INDEX `payments_amount` ON `payments` (`amount`,`id`);--> statement-breakpoint
CREATE INDEX `payments_file` ON `payments` (`file`) WHERE file is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `payments_statement_line` ON `payments` (`statement_line`);--> statement-breakpoint
CREATE INDEX `payments_by_hand` ON `payments` (`amount`,`date`) WHERE state = 'confirmed' and statement_line is null;--> statement-breakpoint
ALTER TABLE `company_balances` ADD `credit` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `closed_until` text;--> statement-breakpoint
-- Money in the ledger whose payment is gone, and what was paid back, are payments, too.
INSERT INTO `payments` (`id`, `company_id`, `order_id`, `state`, `amount`, `date`, `kind`, `note`, `reporter_id`, `reporter_name`, `decider_id`, `decider_name`, `decided_at`, `created_at`, `updated_at`)
	SELECT e.payment_id, e.company_id, (SELECT id FROM orders WHERE orders.id = e.order_id), 'confirmed', e.amount, e.date, 'transfer', e.note, e.actor_id, e.actor_name, e.actor_id, e.actor_name, e.at, e.at, e.at
	FROM ledger_entries e WHERE e.kind = 'payment' AND e.payment_id IS NOT NULL AND e.payment_id NOT IN (SELECT id FROM payments);--> statement-breakpoint
CREATE TABLE `__refunds` AS SELECT e.id AS entry_id, row_number() OVER (ORDER BY e.id)
		+ max((SELECT last FROM `__payment_ids`), (SELECT ifnull(max(id), 0) FROM payments)) AS payment_id
	FROM ledger_entries e WHERE e.kind = 'refund' AND e.amount < 0;--> statement-breakpoint
INSERT INTO `payments` (`id`, `company_id`, `direction`, `order_id`, `state`, `amount`, `date`, `kind`, `note`, `reporter_id`, `reporter_name`, `decider_id`, `decider_name`, `decided_at`, `created_at`, `updated_at`)
	SELECT r.payment_id, e.company_id, 'refund', (SELECT id FROM orders WHERE orders.id = e.order_id), 'confirmed', -e.amount, e.date, 'transfer', e.note, e.actor_id, e.actor_name, e.actor_id, e.actor_name, e.at, e.at, e.at
	FROM `__refunds` r JOIN ledger_entries e ON e.id = r.entry_id;--> statement-breakpoint
UPDATE `ledger_entries` SET `payment_id` = (SELECT r.payment_id FROM `__refunds` r WHERE r.entry_id = ledger_entries.id) WHERE kind = 'refund' AND amount < 0;--> statement-breakpoint
DROP TABLE `__refunds`;--> statement-breakpoint
DROP TABLE `__payment_ids`;--> statement-breakpoint
-- Each payment pays its order, as far as that costs it; the rest is the company's credit.
CREATE TABLE `__orders` AS SELECT order_id,
		ifnull((SELECT iif(statuses.due = 'ends', 0, orders.cost) FROM orders LEFT JOIN statuses ON statuses.id = orders.status_id WHERE orders.id = order_id), 0) AS cost,
		sum(iif(kind = 'payment', amount, 0)) AS received, sum(iif(kind = 'refund', amount, 0)) AS refunded, sum(iif(kind = 'correction', amount, 0)) AS corrected
	FROM ledger_entries WHERE order_id IS NOT NULL GROUP BY order_id;--> statement-breakpoint
INSERT INTO `allocations` (`company_id`, `payment_id`, `order_id`, `amount`, `date`, `at`, `actor_id`, `actor_name`)
	SELECT company_id, id, order_id, min(amount, payable - earlier), date, at, decider_id, decider_name FROM (
		SELECT p.company_id, p.id, p.order_id, p.amount, p.date, ifnull(p.decided_at, p.updated_at) AS at, p.decider_id, coalesce(p.decider_name, p.reporter_name) AS decider_name,
			max(0, min(o.cost - o.corrected, o.received + o.refunded)) AS payable,
			sum(p.amount) OVER (PARTITION BY p.order_id ORDER BY p.date, p.id ROWS UNBOUNDED PRECEDING) - p.amount AS earlier
		FROM payments p JOIN `__orders` o ON o.order_id = p.order_id WHERE p.state = 'confirmed' AND p.direction = 'incoming' AND p.company_id IS NOT NULL)
	WHERE payable > earlier ORDER BY id;--> statement-breakpoint
-- What was paid back comes from what pays no order, the oldest first.
CREATE TABLE `__free` AS SELECT p.id, p.company_id, p.amount - ifnull(sum(a.amount), 0) AS amount, p.date
	FROM payments p LEFT JOIN allocations a ON a.payment_id = p.id WHERE p.state = 'confirmed' AND p.direction = 'incoming' GROUP BY p.id HAVING p.amount > ifnull(sum(a.amount), 0);--> statement-breakpoint
INSERT INTO `allocations` (`company_id`, `payment_id`, `refund_id`, `amount`, `date`, `at`, `actor_id`, `actor_name`)
	SELECT r.company_id, f.id, r.id, min(f.upto, r.upto) - max(f.upto - f.amount, r.upto - r.amount), r.date, r.decided_at, r.decider_id, r.decider_name
	FROM (SELECT *, sum(amount) OVER (PARTITION BY company_id ORDER BY date, id ROWS UNBOUNDED PRECEDING) AS upto FROM payments WHERE direction = 'refund') r
	JOIN (SELECT *, sum(amount) OVER (PARTITION BY company_id ORDER BY date, id ROWS UNBOUNDED PRECEDING) AS upto FROM `__free`) f ON f.company_id = r.company_id
	WHERE min(f.upto, r.upto) > max(f.upto - f.amount, r.upto - r.amount);--> statement-breakpoint
DROP TABLE `__free`;--> statement-breakpoint
-- Nothing is kept of a migration after which sums differ: any row breaks the rule of this table.
CREATE TABLE `__differences` (`what` text, CONSTRAINT `sums_of_payments_differ` CHECK (what IS NULL));--> statement-breakpoint
INSERT INTO `__differences` SELECT 'payments of company ' || company_id FROM (
		SELECT company_id, amount FROM ledger_entries WHERE kind = 'payment' AND payment_id IS NOT NULL
		UNION ALL SELECT company_id, -amount FROM payments WHERE state = 'confirmed' AND direction = 'incoming')
	GROUP BY company_id HAVING sum(amount) <> 0;--> statement-breakpoint
INSERT INTO `__differences` SELECT 'payment ' || p.id FROM payments p JOIN allocations a ON a.payment_id = p.id GROUP BY p.id HAVING sum(a.amount) > p.amount OR min(a.amount) <= 0;--> statement-breakpoint
INSERT INTO `__differences` SELECT 'order ' || o.order_id FROM `__orders` o LEFT JOIN allocations a ON a.order_id = o.order_id
	WHERE o.received + o.refunded >= 0 AND o.received + o.refunded + o.corrected < o.cost
	GROUP BY o.order_id HAVING ifnull(sum(a.amount), 0) <> o.received + o.refunded;--> statement-breakpoint
DROP TABLE `__differences`;--> statement-breakpoint
DROP TABLE `__orders`;
