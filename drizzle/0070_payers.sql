ALTER TABLE `payments` ADD `payer` text;--> statement-breakpoint
CREATE INDEX `payments_payer` ON `payments` (`payer`,`company_id`) WHERE state = 'confirmed' and payer is not null;--> statement-breakpoint
CREATE INDEX `companies_inn` ON `companies` (`inn`) WHERE inn is not null;