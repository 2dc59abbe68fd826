CREATE TABLE `order_tallies` (
	`status_id` integer NOT NULL,
	`month` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`status_id`, `month`)
);
