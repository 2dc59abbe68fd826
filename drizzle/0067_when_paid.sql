ALTER TABLE `order_history` ADD `when_paid` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `status_transitions` ADD `when_paid` integer DEFAULT false NOT NULL;