ALTER TABLE `companies` ADD `balance` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `companies_balance` ON `companies` (`balance`,"id" desc);