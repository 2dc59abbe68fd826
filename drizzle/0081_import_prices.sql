ALTER TABLE `imports` ADD `without_vat` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `switches_off` integer DEFAULT false NOT NULL;