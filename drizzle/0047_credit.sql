ALTER TABLE `companies` ADD `credit_limit` integer;--> statement-breakpoint
ALTER TABLE `companies` ADD `payment_days` integer;--> statement-breakpoint
ALTER TABLE `order_history` ADD `exceed_reason` text;--> statement-breakpoint
ALTER TABLE `status_transitions` ADD `min_paid` integer;--> statement-breakpoint
ALTER TABLE `status_transitions` ADD `within_limit` integer DEFAULT false NOT NULL;