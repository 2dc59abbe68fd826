CREATE TABLE `ledger_tallies` (
	`company_id` integer NOT NULL,
	`month` text NOT NULL,
	`charges` integer NOT NULL,
	`payments` integer NOT NULL,
	`corrections` integer NOT NULL,
	PRIMARY KEY(`company_id`, `month`)
);
