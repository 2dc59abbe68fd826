-- What is booked gets its day: of a payment that on which it was paid, of what made an order due that from which it is due, of all others that on which it was written.
CREATE TABLE `__new_ledger_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`order_id` integer,
	`payment_id` integer,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`note` text,
	`date` text NOT NULL,
	`at` integer NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_ledger_entries`("id", "company_id", "order_id", "payment_id", "kind", "amount", "note", "date", "at", "actor_id", "actor_name", "impersonator_id", "impersonator_name")
SELECT "id", "company_id", "order_id", "payment_id", "kind", "amount", "note", coalesce(
	(SELECT payments."date" FROM payments WHERE entry."kind" = 'payment' AND payments."id" = entry."payment_id"),
	(SELECT orders."due_since" FROM orders WHERE entry."kind" = 'charge' AND entry."amount" < 0 AND orders."id" = entry."order_id" AND entry."id" = (
		SELECT max(began."id") FROM ledger_entries AS began WHERE began."order_id" = entry."order_id" AND began."kind" = 'charge' AND began."amount" < 0 AND 0 = (
			SELECT ifnull(sum(before."amount"), 0) FROM ledger_entries AS before WHERE before."order_id" = began."order_id" AND before."kind" = 'charge' AND before."id" < began."id"))),
	date("at" / 1000, 'unixepoch', 'localtime')), "at", "actor_id", "actor_name", "impersonator_id", "impersonator_name" FROM `ledger_entries` AS entry;--> statement-breakpoint
DROP TABLE `ledger_entries`;--> statement-breakpoint
ALTER TABLE `__new_ledger_entries` RENAME TO `ledger_entries`;--> statement-breakpoint
CREATE INDEX `ledger_entries_company` ON `ledger_entries` (`company_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_entries_date` ON `ledger_entries` (`date`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_entries_order` ON `ledger_entries` (`order_id`,`id`) WHERE order_id is not null;
