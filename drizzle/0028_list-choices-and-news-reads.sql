CREATE TABLE `list_choices` (
	`user_id` integer NOT NULL,
	`list` text NOT NULL,
	`size` text NOT NULL,
	`cols` text NOT NULL,
	PRIMARY KEY(`user_id`, `list`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `news_reads` (
	`user_id` integer NOT NULL,
	`news_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `news_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`news_id`) REFERENCES `news`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `news_reads_news` ON `news_reads` (`news_id`);